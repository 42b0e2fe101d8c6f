import { readText } from '../lib/parameter-values.ts';
import { usersErrors } from './errors.ts';
import { graphql } from './graphql.ts';
import { ok, route } from './http/route.ts';
import { userDocs } from './openapi/docs/users.ts';
import { presentUser, UserFields } from './user-fields.ts';

const FindUserByLogin = graphql(
  `query FindUserByLogin($login: String!) { userByLogin(login: $login) { ...UserFields } }`,
  [UserFields],
);

const FindUserByEmail = graphql(
  `query FindUserByEmail($email: String!) { userByEmail(email: $email) { ...UserFields } }`,
  [UserFields],
);

const FindUserByFacebookId = graphql(
  `query FindUserByFacebookId($facebookId: String!) { userByFacebookId(facebookId: $facebookId) { ...UserFields } }`,
  [UserFields],
);

const FindUserByTwitterId = graphql(
  `query FindUserByTwitterId($twitterId: String!) { userByTwitterId(twitterId: $twitterId) { ...UserFields } }`,
  [UserFields],
);

const FindUserByPhone = graphql(
  `query FindUserByPhone($phone: String!) { userByPhone(phone: $phone) { ...UserFields } }`,
  [UserFields],
);

/** One user by something else than their id; nobody has what was not given. */
export const userLookupRoutes = [
  route({
    method: 'get',
    path: '/users/by_login',
    refusesWrongTypes: true,
    document: FindUserByLogin,
    variables: ({ given }) => ({ login: readText(given.login) ?? '' }),
    respond: ({ userByLogin }) => ok(presentUser(userByLogin)),
    errors: usersErrors,
    docs: userDocs.findUserByLogin,
  }),
  route({
    method: 'get',
    path: '/users/by_email',
    refusesWrongTypes: true,
    document: FindUserByEmail,
    variables: ({ given }) => ({ email: readText(given.email) ?? '' }),
    respond: ({ userByEmail }) => ok(presentUser(userByEmail)),
    errors: usersErrors,
    docs: userDocs.findUserByEmail,
  }),
  route({
    method: 'get',
    path: '/users/by_facebook_id',
    refusesWrongTypes: true,
    document: FindUserByFacebookId,
    variables: ({ given }) => ({ facebookId: readText(given.facebook_id) ?? '' }),
    respond: ({ userByFacebookId }) => ok(presentUser(userByFacebookId)),
    errors: usersErrors,
    docs: userDocs.findUserByFacebookId,
  }),
  route({
    method: 'get',
    path: '/users/by_twitter_id',
    refusesWrongTypes: true,
    document: FindUserByTwitterId,
    variables: ({ given }) => ({ twitterId: readText(given.twitter_id) ?? '' }),
    respond: ({ userByTwitterId }) => ok(presentUser(userByTwitterId)),
    errors: usersErrors,
    docs: userDocs.findUserByTwitterId,
  }),
  route({
    method: 'get',
    path: '/users/phone',
    refusesWrongTypes: true,
    document: FindUserByPhone,
    variables: ({ given }) => ({ phone: readText(given.phone) ?? '' }),
    respond: ({ userByPhone }) => ok(presentUser(userByPhone)),
    errors: usersErrors,
    docs: userDocs.findUserByPhone,
  }),
];
