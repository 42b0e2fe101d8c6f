import { usersErrors } from './errors.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { userDocs } from './openapi/docs/users.ts';
import { textOrEmpty } from './parameters/readers.ts';
import { parameters, required } from './parameters/table.ts';
import { userShape } from './shapes/user.ts';

const FindUserByLogin = graphql(
  `query FindUserByLogin($login: String!) { userByLogin(login: $login) { ...UserFields } }`,
  [userShape],
);

const FindUserByEmail = graphql(
  `query FindUserByEmail($email: String!) { userByEmail(email: $email) { ...UserFields } }`,
  [userShape],
);

const FindUserByFacebookId = graphql(
  `query FindUserByFacebookId($facebookId: String!) { userByFacebookId(facebookId: $facebookId) { ...UserFields } }`,
  [userShape],
);

const FindUserByTwitterId = graphql(
  `query FindUserByTwitterId($twitterId: String!) { userByTwitterId(twitterId: $twitterId) { ...UserFields } }`,
  [userShape],
);

const FindUserByPhone = graphql(
  `query FindUserByPhone($phone: String!) { userByPhone(phone: $phone) { ...UserFields } }`,
  [userShape],
);

/** Missing as empty, which no user has. */
const lookup = required(textOrEmpty);

export const userLookupRoutes = [
  route({
    method: 'get',
    path: '/users/by_login',
    checksTypes: true,
    document: FindUserByLogin,
    parameters: parameters('Query.userByLogin', { login: ['login', lookup] }),
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.findUserByLogin,
  }),
  route({
    method: 'get',
    path: '/users/by_email',
    checksTypes: true,
    document: FindUserByEmail,
    parameters: parameters('Query.userByEmail', { email: ['email', lookup] }),
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.findUserByEmail,
  }),
  route({
    method: 'get',
    path: '/users/by_facebook_id',
    checksTypes: true,
    document: FindUserByFacebookId,
    parameters: parameters('Query.userByFacebookId', { facebook_id: ['facebookId', lookup] }),
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.findUserByFacebookId,
  }),
  route({
    method: 'get',
    path: '/users/by_twitter_id',
    checksTypes: true,
    document: FindUserByTwitterId,
    parameters: parameters('Query.userByTwitterId', { twitter_id: ['twitterId', lookup] }),
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.findUserByTwitterId,
  }),
  route({
    method: 'get',
    path: '/users/phone',
    checksTypes: true,
    document: FindUserByPhone,
    parameters: parameters('Query.userByPhone', { phone: ['phone', lookup] }),
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.findUserByPhone,
  }),
];
