import { InvalidFieldsError, NotFoundError, type ServiceError } from '../lib/errors.ts';
import { errorsByField, sentencesOf } from './errors.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { userDocs } from './openapi/docs/users.ts';
import { textOrEmpty } from './parameters/readers.ts';
import { parameters, required } from './parameters/table.ts';

const RequestPasswordReset = graphql(`mutation RequestPasswordReset($email: String!) {
  requestPasswordReset(email: $email)
}`);

export const passwordResetRoutes = [
  route({
    method: 'get',
    path: '/users/password/reset',
    checksTypes: true,
    document: RequestPasswordReset,
    parameters: parameters('Mutation.requestPasswordReset', {
      email: ['email', required(textOrEmpty), 'Email address of the user; letter case is ignored.'],
    }),
    errors: resetErrors,
    docs: userDocs.requestPasswordReset,
  }),
];

function resetErrors(error: ServiceError): unknown {
  if (error instanceof NotFoundError) return null;
  return error instanceof InvalidFieldsError ? { errors: { id: sentencesOf(error) } } : errorsByField(error);
}
