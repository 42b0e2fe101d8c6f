import { SUPPORT } from '../administration/administrators/rights.ts';
import type { UserPasskey as UserPasskeyRow } from '../generated/prisma/client.ts';
import { MAX_PASSKEYS } from '../platform/second-factors/passkeys.ts';
import { RECOVERY_CODES } from '../platform/second-factors/totp.ts';
import {
  createUserTotpSecret,
  disableSecondFactor,
  enablePasskeyFactor,
  enableUserTotp,
  renewRecoveryCodes,
  resetSecondFactor,
} from '../resolvers/second-factors/codes.ts';
import { confirmUser, requestConfirmation } from '../resolvers/second-factors/confirm.ts';
import { findSignInMethods, type SignInMethods as Methods } from '../resolvers/second-factors/methods.ts';
import {
  createUserPasskey,
  deleteUserPasskey,
  requestUserPasskey,
  updateUserPasskey,
} from '../resolvers/second-factors/passkeys.ts';
import { requestPasskeySignIn } from '../resolvers/second-factors/sign-in.ts';
import { listIdentities } from '../resolvers/sessions/token-sign-in.ts';
import { builder } from './builder.ts';
import { CREATED_AT } from './descriptions.ts';
import { ChallengeAnswerInput, PasskeyRegistrationInput, SignInChallenge, TotpSecret } from './second-factor-types.ts';
import { UserIdentity } from './token-issuers.ts';

const CONFIRMED = 'Fails with `CONFIRMATION_REQUIRED` 10 minutes after the sign-in or `confirmUser`.';
const CODES = `Returns ${RECOVERY_CODES} new recovery codes, which are shown only once: each replaces one code.`;
const TURNED_ON = `Ends the other sessions of the caller. ${CODES} ${CONFIRMED}`;
const PASSKEY_ID = 'Id from `signInMethods`.';
const PASSKEY_NAME = 'Name that distinguishes the passkeys of the caller, 1 to 255 characters.';

const UserPasskey = builder.objectRef<UserPasskeyRow>('UserPasskey').implement({
  description: 'A key in a device, security key or password manager, with which a user signs in.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id, for `updateUserPasskey` and `deleteUserPasskey`.' }),
    name: t.exposeString('name', { description: 'Name that the user chose.' }),
    host: t.exposeString('relyingPartyId', { description: 'Domain where the passkey works.' }),
    isBackedUp: t.exposeBoolean('isBackedUp', {
      description: 'Whether a password manager copies it to other devices. Otherwise it is lost with its device.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest sign-in or confirmation with it; null if there was none.',
    }),
  }),
});

const SignInMethods = builder.objectRef<Methods>('SignInMethods').implement({
  description: 'How a user signs in.',
  fields: (t) => ({
    hasPassword: t.exposeBoolean('hasPassword', { description: 'Whether the user has a password.' }),
    needsSecondFactor: t.exposeBoolean('needsSecondFactor', {
      description: 'Whether other sign-ins than with a passkey need a code or a passkey, too.',
    }),
    isSecondFactorDemanded: t.exposeBoolean('isSecondFactorDemanded', {
      description: 'Whether a role of the user needs a second factor (`secondFactorRoles`).',
    }),
    hasTotp: t.exposeBoolean('hasTotp', { description: 'Whether the user has an authenticator app.' }),
    recoveryCodesLeft: t.exposeInt('recoveryCodesLeft', { description: 'Number of unused recovery codes.' }),
    passkeys: t.expose('passkeys', { type: [UserPasskey], description: 'Oldest first.' }),
    identities: t.field({
      type: [UserIdentity],
      description: 'Accounts at issuers of tokens, oldest first.',
      resolve: ({ applicationId, userId }) => listIdentities(applicationId, userId),
    }),
  }),
});

builder.queryField('signInMethods', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    needsNoSecondFactor: true,
    type: SignInMethods,
    description: 'How the caller signs in.',
    resolve: (_root, _args, { viewer }) => findSignInMethods(viewer),
  }),
);

builder.queryField('userSignInMethods', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'users',
    administrator: { roles: SUPPORT },
    type: SignInMethods,
    description: 'How a user signs in. Fails with `NOT_FOUND` for an unknown user.',
    args: { userId: t.arg.int({ required: true, description: 'Id from `users`.' }) },
    resolve: (_root, { userId }, { viewer: { applicationId } }) => findSignInMethods({ applicationId, userId }),
  }),
);

builder.mutationField('requestPasskeySignIn', (t) =>
  t.withAuth({ anyone: true }).field({
    rateLimit: 'signIn',
    type: SignInChallenge,
    description:
      'Begins a sign-in with a passkey, which `createSession` or `loginUser` finishes. Reveals no account. Fails with ' +
      '`DISABLED` unless the application has `passkeyOrigins`.',
    args: { applicationId: t.arg.int({ required: true, description: 'Application of the user.' }) },
    resolve: (_root, { applicationId }, context) => requestPasskeySignIn(applicationId, context),
  }),
);

builder.mutationField('createUserTotpSecret', (t) =>
  t.withAuth({ userToken: true }).field({
    needsNoSecondFactor: true,
    type: TotpSecret,
    description:
      'Begins setting up an authenticator app for the caller, and replaces an unconfirmed secret. Fails with `DISABLED` ' +
      `unless the application setting \`secondFactors\` is on. ${CONFIRMED}`,
    resolve: (_root, _args, context) => createUserTotpSecret(context),
  }),
);

builder.mutationField('enableUserTotp', (t) =>
  t.withAuth({ userToken: true }).stringList({
    needsNoSecondFactor: true,
    rateLimit: 'signIn',
    description: `Turns the second factor of the caller on, with a code of the new secret. ${TURNED_ON}`,
    args: { code: t.arg.string({ required: true, description: 'Current code of the app.' }) },
    resolve: (_root, { code }, context) => enableUserTotp(code, context),
  }),
);

builder.mutationField('enablePasskeyFactor', (t) =>
  t.withAuth({ userToken: true }).stringList({
    needsNoSecondFactor: true,
    description: `Turns the second factor of the caller on, who needs a passkey. ${TURNED_ON}`,
    resolve: (_root, _args, context) => enablePasskeyFactor(context),
  }),
);

builder.mutationField('renewRecoveryCodes', (t) =>
  t.withAuth({ userToken: true }).stringList({
    description: `Replaces the recovery codes of the caller. ${CODES} ${CONFIRMED}`,
    resolve: (_root, _args, context) => renewRecoveryCodes(context),
  }),
);

builder.mutationField('disableSecondFactor', (t) =>
  t.withAuth({ userToken: true }).boolean({
    description:
      'Turns the second factor of the caller off, and deletes the secret of the app and the recovery codes. Passkeys ' +
      `remain. ${CONFIRMED}`,
    resolve: (_root, _args, context) => disableSecondFactor(context),
  }),
);

builder.mutationField('resetSecondFactor', (t) =>
  t.withAuth({ key: true }).boolean({
    scope: 'users',
    administrator: { roles: SUPPORT, isConfirmed: true, needsReason: true },
    description:
      'Turns the second factor of a user off who has lost it, and deletes the passkeys. Check who asks: the password ' +
      'suffices afterwards. The user is notified by mail.',
    args: { userId: t.arg.int({ required: true, description: 'Who has lost the second factor.' }) },
    resolve: (_root, { userId }, context) => resetSecondFactor(userId, context),
  }),
);

builder.mutationField('requestUserPasskey', (t) =>
  t.withAuth({ userToken: true }).field({
    needsNoSecondFactor: true,
    type: SignInChallenge,
    description:
      'Begins adding a passkey. Fails with `DISABLED` unless the application has `passkeyOrigins`, and with ' +
      `\`UNPROCESSABLE\` if the caller has ${MAX_PASSKEYS}. ${CONFIRMED}`,
    resolve: (_root, _args, context) => requestUserPasskey(context),
  }),
);

builder.mutationField('createUserPasskey', (t) =>
  t.withAuth({ userToken: true }).field({
    needsNoSecondFactor: true,
    rateLimit: 'signIn',
    type: UserPasskey,
    description:
      'Adds a passkey, which from then on signs the caller in without password and code. Fails with `UNPROCESSABLE` if ' +
      `the challenge, the origin or the credential is not accepted. ${CONFIRMED}`,
    args: {
      name: t.arg.string({ required: true, description: PASSKEY_NAME }),
      token: t.arg.string({ required: true, description: 'Token from `requestUserPasskey`.' }),
      passkey: t.arg({ type: PasskeyRegistrationInput, required: true, description: 'The new credential.' }),
    },
    resolve: (_root, args, context) => createUserPasskey(args, context),
  }),
);

builder.mutationField('updateUserPasskey', (t) =>
  t.withAuth({ userToken: true }).field({
    type: UserPasskey,
    description: 'Renames a passkey of the caller.',
    args: {
      id: t.arg.int({ required: true, description: PASSKEY_ID }),
      name: t.arg.string({ required: true, description: PASSKEY_NAME }),
    },
    resolve: (_root, { id, name }, context) => updateUserPasskey(id, name, context),
  }),
);

builder.mutationField('deleteUserPasskey', (t) =>
  t.withAuth({ userToken: true }).boolean({
    description:
      'Deletes a passkey of the caller. Fails with `UNPROCESSABLE` if it is the only second factor, or the only way to ' +
      `sign in. ${CONFIRMED}`,
    args: { id: t.arg.int({ required: true, description: PASSKEY_ID }) },
    resolve: (_root, { id }, context) => deleteUserPasskey(id, context),
  }),
);

builder.mutationField('requestConfirmation', (t) =>
  t.withAuth({ userToken: true }).field({
    needsNoSecondFactor: true,
    type: SignInChallenge,
    description: 'Begins a confirmation of the caller with a code or a passkey, for `confirmUser`.',
    resolve: (_root, _args, context) => requestConfirmation(context),
  }),
);

builder.mutationField('confirmUser', (t) =>
  t.withAuth({ userToken: true }).field({
    needsNoSecondFactor: true,
    rateLimit: 'signIn',
    type: 'DateTime',
    description:
      'Proves again who the caller is, and returns until when the session may change how they sign in. Users with a ' +
      'second factor prove that; others a password or a passkey. Fails with `UNAUTHENTICATED` if it is wrong, and with ' +
      '`CODE_REQUIRED` if the password does not suffice.',
    args: {
      password: t.arg.string({ description: 'Password of the caller, without `answer`.' }),
      answer: t.arg({ type: ChallengeAnswerInput, description: 'Answer to `requestConfirmation`.' }),
    },
    resolve: (_root, args, context) => confirmUser(args, context),
  }),
);
