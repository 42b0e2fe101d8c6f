import { MAX_PASSKEYS } from '../../platform/second-factors/passkeys.ts';
import { builder } from '../../schema/builder.ts';
import { CONFIRMATION, CREATED_AT } from '../../schema/descriptions.ts';
import { PasskeyAssertionInput, PasskeyRegistrationInput } from '../../schema/second-factor-types.ts';
import {
  passkeyConfirmationOptions,
  passkeySignInOptions,
  signInAdministratorWithPasskey,
} from '../administrators/passkey-sign-in.ts';
import {
  createPasskey,
  createPasskeyOptions,
  deletePasskey,
  listPasskeys,
  type Passkey as PasskeyRow,
  updatePasskey,
} from '../administrators/passkeys.ts';
import { ALL } from '../administrators/rights.ts';
import { Administrator } from './administrators.ts';

const NAME = 'Name that distinguishes the passkeys of the caller, 1 to 255 characters.';
const CHALLENGE = 'The challenge is valid once, for five minutes';

const Passkey = builder.objectRef<PasskeyRow>('Passkey').implement({
  description: 'A key in a device, security key or password manager, with which an administrator signs in.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Numeric id, for `updatePasskey` and `deletePasskey`.' }),
    name: t.exposeString('name', { description: 'Name that the administrator chose.' }),
    host: t.exposeString('relyingPartyId', {
      description: 'Host name of the console where the passkey works; browsers do not offer it at other addresses.',
    }),
    isBackedUp: t.exposeBoolean('isBackedUp', {
      description:
        'Whether a password manager copies the passkey to other devices. Otherwise it is lost with its device.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest sign-in or confirmation with it; null if there was none.',
    }),
  }),
});

builder.queryField('passkeys', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL },
    type: [Passkey],
    description: 'Passkeys of the caller, oldest first.',
    resolve: (_root, _args, { viewer }) => listPasskeys(viewer),
  }),
);

builder.mutationField('createPasskeyOptions', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL, isConfirmed: true },
    type: 'JSON',
    description:
      'Begins adding a passkey. Returns the argument of `PublicKeyCredential.parseCreationOptionsFromJSON()`. ' +
      `${CHALLENGE} of this session. Fails with \`BAD_USER_INPUT\` at an IP address, where browsers have no passkeys. ${CONFIRMATION}`,
    rateLimit: 'console',
    resolve: (_root, _args, context) => createPasskeyOptions(context.viewer, context),
  }),
);

builder.mutationField('createPasskey', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL, isConfirmed: true },
    type: Passkey,
    description:
      `Adds a passkey, which from then on signs in without password and code. An account has at most ${MAX_PASSKEYS}. Fails with ` +
      '`UNPROCESSABLE` if the authenticator did not verify the person, or the challenge, the address or the credential ' +
      `is not accepted. ${CONFIRMATION}`,
    rateLimit: 'console',
    args: {
      name: t.arg.string({ required: true, description: NAME }),
      passkey: t.arg({
        type: PasskeyRegistrationInput,
        required: true,
        description: 'The new credential, for the challenge of `createPasskeyOptions`.',
      }),
    },
    resolve: (_root, { name, passkey }, context) => createPasskey(name, passkey, context.viewer, context),
  }),
);

builder.mutationField('updatePasskey', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL },
    type: Passkey,
    description: 'Renames a passkey of the caller.',
    args: {
      id: t.arg.int({ required: true, description: 'Id from `passkeys`.' }),
      name: t.arg.string({ required: true, description: NAME }),
    },
    resolve: (_root, { id, name }, { viewer }) => updatePasskey(id, name, viewer),
  }),
);

builder.mutationField('deletePasskey', (t) =>
  t.withAuth({ administrator: true }).boolean({
    administrator: { roles: ALL, isConfirmed: true },
    description: `Deletes a passkey of the caller and ends their other sessions. ${CONFIRMATION}`,
    args: { id: t.arg.int({ required: true, description: 'Id from `passkeys`.' }) },
    resolve: (_root, { id }, context) => deletePasskey(id, context.viewer, context),
  }),
);

builder.mutationField('passkeySignInOptions', (t) =>
  t.withAuth({ anyone: true }).field({
    type: 'JSON',
    description:
      'Begins a sign-in with a passkey. Returns the argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`, and ' +
      `sets a cookie, because only this browser may use the challenge. ${CHALLENGE}.`,
    rateLimit: 'console',
    resolve: (_root, _args, context) => passkeySignInOptions(context),
  }),
);

builder.mutationField('signInAdministratorWithPasskey', (t) =>
  t.withAuth({ anyone: true }).field({
    type: Administrator,
    description:
      'Signs in to the console like `signInAdministrator`, without email address, password and code. Fails with ' +
      '`UNAUTHENTICATED` for each reason alike.',
    rateLimit: 'console',
    args: {
      passkey: t.arg({
        type: PasskeyAssertionInput,
        required: true,
        description: 'What the passkey signed for `passkeySignInOptions`.',
      }),
    },
    resolve: (_root, { passkey }, context) => signInAdministratorWithPasskey(passkey, context),
  }),
);

builder.mutationField('passkeyConfirmationOptions', (t) =>
  t.withAuth({ administrator: true }).field({
    administrator: { roles: ALL },
    type: 'JSON',
    description:
      'Begins a confirmation with a passkey of the caller, for `confirmAdministrator`. Returns the argument of ' +
      `\`PublicKeyCredential.parseRequestOptionsFromJSON()\`. ${CHALLENGE} of this session.`,
    rateLimit: 'console',
    resolve: (_root, _args, context) => passkeyConfirmationOptions(context.viewer, context),
  }),
);
