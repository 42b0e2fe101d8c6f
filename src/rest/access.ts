import {
  ConfirmationRequiredError,
  DisabledError,
  NotFoundError,
  NoUpdateDataError,
  SignInRefusedError,
  SignInTooOldError,
  UnauthenticatedError,
  UnprocessableError,
  WrongPasswordError,
} from '../lib/errors.ts';
import { type Derived, derivedRoute } from './derived-routes.ts';
import type { Route } from './http/route.ts';
import { SAMPLES } from './openapi/docs/samples.ts';

const missing = [new NotFoundError(), new NotFoundError('USER_NOT_FOUND')];
const secondFactorErrors = [
  new DisabledError('SECOND_FACTORS_OFF'),
  new ConfirmationRequiredError(),
  new UnprocessableError('SECOND_FACTOR_OFF'),
];
const user = { user_id: SAMPLES.user };

const access = (
  method: Route['method'],
  path: string,
  operation: string,
  docs: Partial<Derived> & Pick<Derived, 'summary'>,
) => derivedRoute(method, path, operation, { tag: 'Access', ...docs });

export const accessRoutes = [
  access('get', '/keys', 'Query.apiKeys', { summary: 'List API keys' }),
  access('post', '/keys', 'Mutation.createApiKey', {
    summary: 'Create an API key',
    status: 201,
    examples: [{ body: { name: 'Reports', restrictions: { scopes: ['users:read', 'records:Cars:read'] } } }],
  }),
  access('put', '/keys/:id', 'Mutation.updateApiKey', {
    summary: 'Change an API key',
    errors: [...missing, new NoUpdateDataError()],
    examples: [{ path: { id: SAMPLES.apiKey }, body: { name: 'Robot', networks: ['127.0.0.0/8'] } }],
  }),
  access('post', '/keys/:id/rotate', 'Mutation.rotateApiKey', {
    summary: 'Replace the secret of an API key',
    errors: missing,
    examples: [{ path: { id: SAMPLES.apiKey }, body: { overlap_hours: 24 } }],
  }),
  access('delete', '/keys/:id', 'Mutation.revokeApiKey', {
    summary: 'Revoke an API key',
    errors: missing,
    examples: [{ path: { id: SAMPLES.apiKey } }],
  }),

  access('get', '/roles', 'Query.roles', { summary: 'List roles' }),
  access('post', '/roles', 'Mutation.defineRole', {
    summary: 'Create or describe a role',
    examples: [{ body: { name: 'editor', description: 'Edits all articles.' } }],
  }),
  access('delete', '/roles/:name', 'Mutation.deleteRole', {
    summary: 'Delete a role',
    errors: missing,
    examples: [{ path: { name: 'editor' } }],
  }),
  access('post', '/users/:user_id/roles', 'Mutation.assignRole', {
    summary: 'Give a user a role',
    errors: missing,
    examples: [{ path: user, body: { role: 'editor' } }],
  }),
  access('delete', '/users/:user_id/roles/:role', 'Mutation.revokeRole', {
    summary: 'Take a role from a user',
    errors: missing,
    examples: [{ path: { ...user, role: 'editor' } }],
  }),
  access('get', '/users/:user_id/access', 'Query.explainAccess', {
    summary: 'Explain what a user may do',
    errors: missing,
    examples: [{ path: user, query: { operation: 'read_record', class_name: 'Cars', id: SAMPLES.record } }],
  }),
  access('post', '/class/:class_name/permission_changes', 'Query.permissionChanges', {
    summary: 'Count who would gain or lose access',
    errors: missing,
    examples: [{ path: { class_name: 'Cars' }, body: { permissions: { read: { access: 'owner' } } } }],
  }),

  access('get', '/token_issuers', 'Query.tokenIssuers', {
    summary: 'List sign-in providers',
  }),
  access('put', '/token_issuers', 'Mutation.updateTokenIssuer', {
    summary: 'Add or change a sign-in provider',
    examples: [{ body: { name: 'google', issuer: 'https://accounts.google.com', audiences: ['our-app.example.com'] } }],
  }),
  access('delete', '/token_issuers/:name', 'Mutation.deleteTokenIssuer', {
    summary: 'Remove a sign-in provider',
    errors: missing,
    examples: [{ path: { name: 'google' } }],
  }),
];

export const signInRoutes = [
  access('get', '/sessions', 'Query.sessions', {
    tag: 'Sessions',
    summary: 'List the sessions of the user',
  }),
  access('delete', '/sessions/:id', 'Mutation.endSession', {
    tag: 'Sessions',
    summary: 'End a session of the user',
    errors: missing,
    examples: [{ path: { id: SAMPLES.session } }],
  }),
  access('delete', '/sessions', 'Mutation.endOtherSessions', {
    tag: 'Sessions',
    summary: 'End all other sessions of the user',
    result: 'ended',
  }),
  access('get', '/users/:user_id/sessions', 'Query.userSessions', {
    tag: 'Sessions',
    summary: 'List the sessions of any user',
    examples: [{ path: user }],
  }),
  access('delete', '/users/:user_id/sessions', 'Mutation.endUserSessions', {
    tag: 'Sessions',
    summary: 'End all sessions of any user',
    result: 'ended',
    errors: missing,
    examples: [{ path: { user_id: SAMPLES.friend } }],
  }),
  access('post', '/session/code', 'Mutation.requestSignInCode', {
    tag: 'Sessions',
    summary: 'Mail a code to sign in with',
    errors: [new DisabledError('EMAIL_SIGN_IN_OFF')],
    examples: [{ body: { application_id: 92, email: 'alice@example.org' } }],
  }),
  access('post', '/session/passkey', 'Mutation.requestPasskeySignIn', {
    tag: 'Sessions',
    summary: 'Begin a sign-in with a passkey',
    errors: [new DisabledError('PASSKEYS_OFF')],
    examples: [{ body: { application_id: 92 } }],
  }),
  access('post', '/session/confirmation', 'Mutation.confirmUser', {
    tag: 'Sessions',
    summary: 'Confirm who the user is',
    result: 'confirmed_until',
    errors: [new WrongPasswordError(), new UnauthenticatedError('SIGN_IN_CODE_WRONG')],
    examples: [{ body: { password: 'correct-horse' } }],
  }),
  access('post', '/users/email/code', 'Mutation.requestEmailVerification', {
    tag: 'Users',
    summary: 'Mail a code to verify the address',
    errors: [new UnprocessableError('EMAIL_INVALID')],
    examples: [{ body: { language: 'en' } }],
  }),
  access('put', '/users/email/code', 'Mutation.verifyEmail', {
    tag: 'Users',
    summary: 'Verify the address with the code',
    errors: [new UnprocessableError('LINK_INVALID')],
    examples: [{ body: { token: SAMPLES.emailToken, code: '654321' } }],
  }),
  access('post', '/identities', 'Mutation.linkIdentity', {
    tag: 'Users',
    summary: 'Add an account to sign in with',
    errors: [new SignInRefusedError(), new SignInTooOldError(), new UnprocessableError('IDENTITY_TAKEN')],
    examples: [{ body: { provider_code: { code: SAMPLES.providerCode, verifier: 'v'.repeat(43) } } }],
  }),
  access('get', '/identities', 'Query.identities', {
    tag: 'Users',
    summary: 'List accounts the user signs in with',
  }),
  access('delete', '/identities', 'Mutation.unlinkIdentity', {
    tag: 'Users',
    summary: 'Remove an account the user signs in with',
    errors: [...missing, new SignInTooOldError()],
    examples: [{ body: { issuer: 'https://accounts.google.com', subject: '108' } }],
  }),
  access('get', '/sign_in_methods', 'Query.signInMethods', {
    tag: 'Users',
    summary: 'Show how the user can sign in',
  }),
  access('post', '/second_factor/totp', 'Mutation.createUserTotpSecret', {
    tag: 'Users',
    summary: 'Begin to set up an authenticator app',
    errors: secondFactorErrors,
  }),
  access('put', '/second_factor/totp', 'Mutation.enableUserTotp', {
    tag: 'Users',
    summary: 'Turn the second factor on',
    result: 'recovery_codes',
    errors: secondFactorErrors,
    examples: [{ body: { code: SAMPLES.code } }],
  }),
  access('post', '/passkeys/options', 'Mutation.requestUserPasskey', {
    tag: 'Users',
    summary: 'Begin to add a passkey',
    errors: secondFactorErrors,
  }),
  access('post', '/passkeys', 'Mutation.createUserPasskey', {
    tag: 'Users',
    summary: 'Add a passkey',
    status: 201,
    errors: secondFactorErrors,
    examples: [
      {
        body: {
          name: 'Phone',
          token: SAMPLES.challengeToken,
          passkey: {
            id: SAMPLES.credential,
            client_data_json: SAMPLES.clientData,
            attestation_object: SAMPLES.attestation,
          },
        },
      },
    ],
  }),
  access('put', '/passkeys/:id', 'Mutation.updateUserPasskey', {
    tag: 'Users',
    summary: 'Rename a passkey',
    errors: missing,
    examples: [{ path: { id: SAMPLES.passkey }, body: { name: 'Old phone' } }],
  }),
  access('put', '/second_factor/passkey', 'Mutation.enablePasskeyFactor', {
    tag: 'Users',
    summary: 'Demand a passkey as second factor',
    result: 'recovery_codes',
    errors: secondFactorErrors,
  }),
  access('delete', '/passkeys/:id', 'Mutation.deleteUserPasskey', {
    tag: 'Users',
    summary: 'Delete a passkey',
    errors: [...missing, ...secondFactorErrors],
    examples: [{ path: { id: SAMPLES.passkey } }],
  }),
  access('put', '/second_factor/recovery_codes', 'Mutation.renewRecoveryCodes', {
    tag: 'Users',
    summary: 'Replace the recovery codes',
    result: 'recovery_codes',
    errors: secondFactorErrors,
  }),
  access('delete', '/second_factor', 'Mutation.disableSecondFactor', {
    tag: 'Users',
    summary: 'Turn the second factor off',
    errors: secondFactorErrors,
  }),
  access('post', '/session/challenge', 'Mutation.requestConfirmation', {
    tag: 'Sessions',
    summary: 'Begin a confirmation with the second factor',
    errors: secondFactorErrors,
  }),
  access('delete', '/users/:user_id/second_factor', 'Mutation.resetSecondFactor', {
    tag: 'Users',
    summary: 'Remove the second factor of any user',
    errors: missing,
    examples: [{ path: { user_id: SAMPLES.friend } }],
  }),
];
