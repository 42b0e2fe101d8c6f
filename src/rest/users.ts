import { UnknownUserError } from '../lib/errors.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { usersErrors } from './errors.ts';
import { graphql } from './graphql.ts';
import { readPositiveInteger } from './http/integer-ids.ts';
import { route } from './http/route.ts';
import * as schemas from './openapi/docs/schemas.ts';
import { userDocs } from './openapi/docs/users.ts';
import { reader, text } from './parameters/readers.ts';
import { asInput, parameters, required, wrapped } from './parameters/table.ts';
import { userShape } from './shapes/user.ts';
import { userParameters } from './user-fields.ts';
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

/** @throws {InvalidFieldsError} {UnknownUserError} above the range of ids */
const userId = reader(schemas.integerId, (value) => knownRange(readPositiveInteger(value as string), isDatabaseId));
const externalId = reader({ type: 'integer' }, (value) =>
  knownRange(readPositiveInteger(value as string), Number.isSafeInteger),
);

export const userRoutes = [
  route({
    method: 'post',
    path: '/users',
    document: CreateUser,
    parameters: asInput(
      wrapped(
        'user',
        parameters('CreateUserInput', {
          ...userParameters,
          password: ['password', required(userParameters.password[1]), userParameters.password[2]],
        }),
        'The fields of the user.',
      ),
    ),
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.createUser,
  }),
  ...userListRoutes,
  ...userLookupRoutes,
  route({
    method: 'get',
    path: '/users/external/:externalUserId',
    document: FindUserByExternalId,
    inPath: { externalUserId: ['externalUserId', externalId, 'Id of the user in an external system.'] },
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.findUserByExternalId,
  }),
  route({
    method: 'get',
    path: '/users/:id',
    document: FindUser,
    inPath: { id: ['id', userId, 'Id of the user.'] },
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.findUser,
  }),
  route({
    method: 'put',
    path: '/users/:id',
    document: UpdateUser,
    inPath: { id: ['id', userId, 'Id of the user.'] },
    parameters: asInput(
      wrapped(
        'user',
        parameters('UpdateUserInput', {
          ...userParameters,
          old_password: [
            'oldPassword',
            text,
            'The current password. Required with `password`, unless an API key alone calls or the user has no ' +
              'password. If the application has strict credential changes, `email`, `phone` and `login` require it, ' +
              'too, or a sign-in of the last 10 minutes.',
          ],
        }),
        'The fields to change.',
      ),
    ),
    shape: userShape,
    errors: usersErrors,
    docs: userDocs.updateUser,
  }),
  route({
    method: 'delete',
    path: '/users/external/:externalUserId',
    document: DeleteUserByExternalId,
    inPath: { externalUserId: ['externalUserId', externalId, 'Id of the user in an external system.'] },
    respond: () => ({ endsSession: true }),
    errors: usersErrors,
    docs: userDocs.deleteUserByExternalId,
  }),
  route({
    method: 'delete',
    path: '/users/:id',
    document: DeleteUser,
    inPath: { id: ['id', userId, 'Id of the user.'] },
    respond: () => ({ endsSession: true }),
    errors: usersErrors,
    docs: userDocs.deleteUser,
  }),
];

function knownRange(id: number, isKnown: (id: number) => boolean): number {
  if (!isKnown(id)) throw new UnknownUserError();
  return id;
}
