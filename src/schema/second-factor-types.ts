import type { TotpSecret as TotpSecretShape } from '../platform/second-factors/totp.ts';
import type { OpenChallenge } from '../resolvers/second-factors/challenges.ts';
import { builder } from './builder.ts';

const CREDENTIAL_ID = 'Id of the credential, which the authenticator chose; base64url.';
const CLIENT_DATA = 'What the browser signed, with challenge and origin; base64url.';

export const TotpSecret = builder.objectRef<TotpSecretShape>('TotpSecret').implement({
  description:
    'A new secret for an authenticator app. It takes effect when `enableTotp`, or `enableUserTotp` for users of an ' +
    'application, receives its first code.',
  fields: (t) => ({
    secret: t.exposeString('secret', { description: 'The secret in Base32, to type into the app.' }),
    uri: t.exposeString('uri', { description: 'The same as `otpauth://totp/…` URI, to show as a QR code.' }),
  }),
});

export const PasskeyRegistrationInput = builder.inputType('PasskeyRegistrationInput', {
  description: 'What `navigator.credentials.create()` returned.',
  fields: (t) => ({
    id: t.string({ required: true, description: CREDENTIAL_ID }),
    clientDataJSON: t.string({ required: true, description: CLIENT_DATA }),
    attestationObject: t.string({
      required: true,
      description: 'The public key and data of the authenticator; base64url.',
    }),
    transports: t.stringList({
      description: 'How browsers reach the authenticator, for example `internal` or `usb`, from `getTransports()`.',
    }),
  }),
});

export const PasskeyAssertionInput = builder.inputType('PasskeyAssertionInput', {
  description: 'What `navigator.credentials.get()` returned.',
  fields: (t) => ({
    id: t.string({ required: true, description: CREDENTIAL_ID }),
    clientDataJSON: t.string({ required: true, description: CLIENT_DATA }),
    authenticatorData: t.string({ required: true, description: 'Flags and counter of the authenticator; base64url.' }),
    signature: t.string({ required: true, description: 'Signature of the authenticator; base64url.' }),
    userHandle: t.string({
      description: 'Identifies the account; base64url. Required unless the options named credentials.',
    }),
  }),
});

export const ChallengeAnswerInput = builder.inputType('ChallengeAnswerInput', {
  description: 'Answers a challenge once: with `code` or with `passkey`.',
  fields: (t) => ({
    token: t.string({ required: true, description: 'From the challenge, whose answer it is.' }),
    code: t.string({ description: 'Code of the authenticator app, or a recovery code.' }),
    passkey: t.field({ type: PasskeyAssertionInput, description: 'What the passkey signed for `passkeyOptions`.' }),
  }),
});

const FactorMethod = builder.enumType('FactorMethod', {
  description: 'How a user answers a challenge.',
  values: {
    TOTP: { value: 'TOTP', description: 'A code of six digits of the authenticator app.' },
    RECOVERY_CODE: { value: 'RECOVERY_CODE', description: 'A recovery code, which works once.' },
    PASSKEY: { value: 'PASSKEY', description: 'What an authenticator signs for `passkeyOptions`.' },
  } as const,
});

export const SignInChallenge = builder.objectRef<OpenChallenge>('SignInChallenge').implement({
  description: 'What a client answers within five minutes. The error `CODE_REQUIRED` has the same as `challenge`.',
  fields: (t) => ({
    token: t.exposeString('token', { description: 'Secret of the client, for the answer.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the challenge expires.' }),
    methods: t.expose('methods', { type: [FactorMethod], description: 'What the user can answer with.' }),
    passkeyOptions: t.expose('passkeyOptions', {
      type: 'JSON',
      nullable: true,
      description:
        'Argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`, or for a new passkey of ' +
        '`parseCreationOptionsFromJSON()`; null if the user has no passkey.',
    }),
  }),
});
