import { isObject, type ParameterValue } from '../lib/bracket-keys.ts';
import { UnknownUserError } from '../lib/errors.ts';
import { readText } from '../lib/parameter-values.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { usersErrors } from './errors.ts';
import { graphql } from './graphql.ts';
import { readPositiveInteger } from './http/integer-ids.ts';
import { created, ok, route } from './http/route.ts';
import { userDocs } from './openapi/docs/users.ts';
import { userShape } from './shapes/user.ts';
import { userInput } from './user-fields.ts';
import { userListRoutes } from './user-lists.ts';
import { userLookupRoutes } from './user-lookups.ts';

const CreateUser = graphql(
  `mutation CreateUser($input: CreateUserInput!) { createUser(input: $input) { ...UserFields } }`,
  [userShape],
);

const FindUser = graphql(`query FindUser($id: Int!) { user(id: $id) { ...UserFields } }`, [userShape]);

const FindUserByExternalId = graphql(
  `query FindUserByExternalId($externalUserId: SafeInt!) {
    userByExternalId(externalUserId: $externalUserId) { ...UserFields }
  }`,
  [userShape],
);

const UpdateUser = graphql(
  `mutation UpdateUser($id: Int!, $input: UpdateUserInput!) { updateUser(id: $id, input: $input) { ...UserFields } }`,
  [userShape],
);

const DeleteUser = graphql(`mutation DeleteUser($id: Int!) { deleteUser(id: $id) }`);

const DeleteUserByExternalId = graphql(`mutation DeleteUserByExternalId($externalUserId: SafeInt!) {
  deleteUserByExternalId(externalUserId: $externalUserId)
}`);

export const userRoutes = [
  route({
    method: 'post',
    path: '/users',
    document: CreateUser,
    variables: ({ parameters }) => ({ input: userInput(parameters.user) }),
    respond: ({ createUser }) => created(userShape.present(createUser)),
    errors: usersErrors,
    docs: userDocs.createUser,
  }),
  ...userListRoutes,
  ...userLookupRoutes,
  route({
    method: 'get',
    path: '/users/external/:externalUserId',
    document: FindUserByExternalId,
    variables: ({ path }) => ({ externalUserId: externalId(path.externalUserId!) }),
    respond: ({ userByExternalId }) => ok(userShape.present(userByExternalId)),
    errors: usersErrors,
    docs: userDocs.findUserByExternalId,
  }),
  route({
    method: 'get',
    path: '/users/:id',
    document: FindUser,
    variables: ({ path }) => ({ id: integerId(path.id!) }),
    respond: ({ user }) => ok(userShape.present(user)),
    errors: usersErrors,
    docs: userDocs.findUser,
  }),
  route({
    method: 'put',
    path: '/users/:id',
    document: UpdateUser,
    variables: ({ path, parameters }) => ({
      id: integerId(path.id!),
      input: { ...userInput(parameters.user), oldPassword: oldPassword(parameters.user) },
    }),
    respond: ({ updateUser }) => ok(userShape.present(updateUser)),
    errors: usersErrors,
    docs: userDocs.updateUser,
  }),
  route({
    method: 'delete',
    path: '/users/external/:externalUserId',
    document: DeleteUserByExternalId,
    variables: ({ path }) => ({ externalUserId: externalId(path.externalUserId!) }),
    respond: deleted,
    errors: usersErrors,
    docs: userDocs.deleteUserByExternalId,
  }),
  route({
    method: 'delete',
    path: '/users/:id',
    document: DeleteUser,
    variables: ({ path }) => ({ id: integerId(path.id!) }),
    respond: deleted,
    errors: usersErrors,
    docs: userDocs.deleteUser,
  }),
];

function deleted() {
  return { status: 200, body: undefined, endsSession: true };
}

function oldPassword(user: ParameterValue | undefined): string | null | undefined {
  return isObject(user) ? readText(user.old_password) : undefined;
}

/** @throws {InvalidFieldsError} {UnknownUserError} above the range of ids */
function integerId(text: string): number {
  const id = readPositiveInteger(text);
  if (!isDatabaseId(id)) throw new UnknownUserError();
  return id;
}

function externalId(text: string): number {
  const id = readPositiveInteger(text);
  if (!Number.isSafeInteger(id)) throw new UnknownUserError();
  return id;
}
