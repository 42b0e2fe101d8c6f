import fc from 'fast-check';
import { sign } from '../../../src/lib/signature.ts';
import { running } from '../app/app.ts';
import { SoftwareAuthenticator } from '../fakes/authenticator.ts';
import { EMAIL_CODE, IDENTITY, ORIGIN, VERIFIER } from '../fixtures/proofs.ts';
import { codesOf } from '../fixtures/second-factors.ts';
import { type Fixture, field, operation } from './operation.ts';
import { PASSWORD } from './people.ts';
import { any, mostly, perhaps, ref, text } from './values.ts';

const apiKey = ref('apiKey');
const user = ref('user');
const session = ref('session');
const name = fc.constantFrom('editor', 'reviewer', 'No Name', '');
const isOf = (values: string[]) => mostly(fc.constantFrom(...values));
const restrictions = fc.constantFrom<object>(
  { scopes: ['users:read'], networks: ['127.0.0.0/8'] },
  { scopes: ['everything'] },
  { onBehalfOf: [] },
);
const inRest = (given: object) =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key === 'onBehalfOf' ? 'on_behalf_of' : key, value]));

/** Of an application that no passkey belongs to. */
const NO_OPTIONS = { challenge: '', rp: { id: 'app.example.org' }, user: { id: '' } };

const withMembers = (call: { variables: object }, members: object) => ({
  json: members,
  variables: { ...call.variables, ...members },
});

/** The parameter `application_id`, which requests without a caller name themselves. */
const ofApplication = (call: { json?: object; variables: object }, { applicationId }: Fixture) => ({
  json: { ...call.json, application_id: applicationId },
  variables: { ...call.variables, applicationId },
});

export const access = [
  operation('post /session/guest', { wrong: fc.constantFrom(undefined, undefined, 'signature') })
    .with({
      adapt: (_call, { wrong }, fixture) => {
        const signed = {
          application_id: String(fixture.applicationId),
          auth_key: fixture.authKey,
          nonce: String(fixture.nonce++),
          timestamp: String(Math.floor(running.now().getTime() / 1000)),
        };
        const secret = wrong ? 'none' : fixture.authSecret;
        const all = { ...signed, signature: sign(Object.entries(signed), secret, 'sha1') };
        return { json: all, variables: { parameters: Object.entries(all).map(([name, value]) => ({ name, value })) } };
      },
    })
    .served('anonymous')
    .refused('anonymous', { wrong: 'signature' }),
  operation('post /session/code', { email: isOf(['alice@example.org', 'new@example.org', 'no address']) })
    .with({ adapt: (call, _args, fixture) => ofApplication(call, fixture) })
    .served('anonymous', { email: 'alice@example.org' })
    .refused('anonymous', { email: 'no address' }),
  operation('post /session/passkey', { applicationId: fc.constant(99_999_999) })
    .with({
      adapt: (call, { applicationId }, fixture) => (applicationId ? {} : ofApplication(call, fixture)),
    })
    .served('anonymous', { applicationId: undefined })
    .refused('anonymous', { applicationId: 99_999_999 }),
  operation('post /session/confirmation', { password: isOf([PASSWORD, 'wrong-one']) })
    .with({ who: 'session' })
    .served('session of alice', { password: PASSWORD })
    .refused('session of alice', { password: 'wrong-one' }),
  operation('post /passkeys/options')
    .with({
      who: 'session',
      learn: (body, fixture) => {
        fixture.passkeyRequest = body;
      },
    })
    .served('session of alice')
    .refused('alice'),
  operation('post /passkeys', { name: mostly(text) })
    .with({
      who: 'session',
      learn: { passkey: ({ id }) => id },
      adapt: (_call, { name }, { passkeyRequest }) => {
        const { token = '', passkey_options: options = NO_OPTIONS } = passkeyRequest ?? {};
        const passkey = new SoftwareAuthenticator(ORIGIN).create(options);
        const { id, clientDataJSON, attestationObject, transports } = passkey;
        const inRest = { id, client_data_json: clientDataJSON, attestation_object: attestationObject, transports };
        return { json: { name, token, passkey: inRest }, variables: { name, token, passkey } };
      },
    })
    .served('session of alice', { name: 'Phone' })
    .refused('session of alice', { name: 'Phone' }),
  operation('put /passkeys/:id', { id: any('passkey'), name: mostly(text) })
    .with({ who: 'session' })
    .served('session of alice', { id: ref('passkey')(0), name: 'Old phone' })
    .refused('session of bob', { id: ref('passkey')(0), name: 'Old phone' }),

  operation('put /second_factor/passkey').with({ who: 'session' }).served('session of alice').refused('session of bob'),
  operation('post /second_factor/totp')
    .with({
      who: 'session',
      learn: ({ secret }, fixture) => {
        fixture.totpSecret = secret;
      },
    })
    .served('session of alice')
    .refused('alice'),
  operation('put /second_factor/totp', { code: mostly(fc.constantFrom('123456', 'right', 'right')) })
    .with({
      who: 'session',
      adapt: (call, { code }, { totpSecret }) => {
        if (code !== 'right' || !totpSecret) return {};
        const right = { code: codesOf(totpSecret)() };
        return { json: right, variables: { ...call.variables, ...right } };
      },
    })
    .served('session of alice', { code: 'right' })
    .refused('session of alice', { code: '123456' }),
  operation('put /second_factor/recovery_codes')
    .with({ who: 'session' })
    .served('session of alice')
    .refused('session of bob'),
  operation('post /session/challenge').with({ who: 'session' }).served('session of alice').refused('alice'),
  operation('delete /second_factor').with({ who: 'session' }).served('session of alice').refused('alice'),
  operation('delete /passkeys/:id', { id: any('passkey') })
    .with({ who: 'session' })
    .served('session of alice', { id: ref('passkey')(0) })
    .refused('session of alice', { id: ref('passkey')(0) }),
  operation('get /sign_in_methods').served('alice').refused('key'),
  operation('post /users/email/code', { language: perhaps(fc.constantFrom('en', 'de')) })
    .served('alice')
    .refused('application session'),
  operation('put /users/email/code', { code: isOf([EMAIL_CODE, '000000']) })
    .with({ adapt: (call, { code }, { proofs }) => withMembers(call, { token: proofs!.emailToken, code }) })
    .served('anonymous', { code: EMAIL_CODE })
    .refused('anonymous', { code: EMAIL_CODE }),
  operation('post /identities', { verifier: isOf([VERIFIER, 'another']) })
    .with({
      adapt: (_call, { verifier }, { proofs }) => {
        const code = { code: proofs!.providerCode, verifier: verifier ?? '' };
        return { json: { provider_code: code }, variables: { providerCode: code } };
      },
    })
    .served('alice', { verifier: VERIFIER })
    .refused('alice', { verifier: 'another' }),
  operation('get /identities').served('alice').refused('key'),
  operation('delete /identities', {
    issuer: mostly(fc.constant(IDENTITY.issuer)),
    subject: isOf([IDENTITY.subject, 'none']),
  })
    .served('alice', IDENTITY)
    .refused('alice', IDENTITY),
  operation('get /keys').with({ who: 'key' }).served('key').refused('alice'),
  operation('post /keys', {
    name: mostly(text),
    restrictions: field(perhaps(restrictions), (given) => ({ restrictions: inRest(given) })),
  })
    .with({ who: 'key', learn: { apiKey: ({ id }) => id } })
    .served('key', { name: 'Reports', restrictions: { scopes: ['users:read'] } })
    .refused('key', { name: 'Reports', restrictions: { scopes: ['everything'] } }),
  operation('put /keys/:id', { id: any('apiKey'), name: perhaps(text), scopes: perhaps(fc.constant(['users:*'])) })
    .with({ who: 'key' })
    .served('key', { id: apiKey(0), name: 'Robot' })
    .refused('key', { id: apiKey('unknown'), name: 'Robot' }),
  operation('post /keys/:id/rotate', { id: any('apiKey'), overlapHours: mostly(fc.constantFrom(0, 24, -1)) })
    .with({ who: 'key' })
    .served('key', { id: apiKey(0), overlapHours: 1 })
    .refused('key', { id: apiKey(0), overlapHours: -1 }),
  operation('delete /keys/:id', { id: any('apiKey') })
    .with({ who: 'key' })
    .served('key', { id: apiKey(0) })
    .refused('key', { id: apiKey(0) }),

  operation('post /roles', { name: mostly(name), description: mostly(text) })
    .with({ who: 'key' })
    .served('key', { name: 'editor', description: 'Edits.' })
    .refused('key', { name: 'No Name', description: 'Edits.' }),
  operation('get /roles').with({ who: 'key' }).served('key').refused('alice'),
  operation('post /users/:user_id/roles', { user_id: field(any('user'), undefined, 'userId'), role: mostly(name) })
    .with({ who: 'key' })
    .served('key', { user_id: user(1), role: 'editor' })
    .refused('key', { user_id: user(1), role: 'No Name' }),
  operation('delete /users/:user_id/roles/:role', {
    user_id: field(any('user'), undefined, 'userId'),
    role: name.filter(Boolean),
  })
    .with({ who: 'key' })
    .served('key', { user_id: user(1), role: 'editor' })
    .refused('key', { user_id: user('unknown'), role: 'editor' }),
  operation('delete /roles/:name', { name: name.filter(Boolean) })
    .with({ who: 'key' })
    .served('key', { name: 'editor' })
    .refused('key', { name: 'editor' }),
  operation('get /users/:user_id/access', {
    user_id: field(any('user'), undefined, 'userId'),
    operation: mostly(fc.constantFrom('READ_RECORD', 'UPDATE_RECORD', 'SEND_MESSAGE')),
    className: perhaps(fc.constant('cars')),
    id: perhaps(any('record')),
  })
    .with({ who: 'key' })
    .served('key', { user_id: user(1), operation: 'READ_RECORD', className: 'cars', id: ref('record')(0) })
    .refused('key', { user_id: user('unknown'), operation: 'READ_RECORD', className: 'cars' }),
  operation('post /class/:class_name/permission_changes', {
    class_name: field(fc.constantFrom('cars', 'none'), undefined, 'className'),
    permissions: mostly(fc.constantFrom({ read: { access: 'OWNER' } }, { read: {} })),
  })
    .with({ who: 'key' })
    .served('key', { class_name: 'cars', permissions: { read: { access: 'OWNER' } } })
    .refused('key', { class_name: 'none', permissions: { read: { access: 'OWNER' } } }),

  operation('put /token_issuers', {
    name: mostly(fc.constantFrom('google', 'No Name')),
    issuer: mostly(fc.constantFrom('https://accounts.google.com', 'no address')),
    audiences: mostly(fc.constantFrom(['our-app'], [])),
  })
    .with({ who: 'key' })
    .served('key', { name: 'google', issuer: 'https://accounts.google.com', audiences: ['our-app'] })
    .refused('key', { name: 'No Name', issuer: 'https://accounts.google.com', audiences: ['our-app'] }),
  operation('get /token_issuers').with({ who: 'key' }).served('key').refused('alice'),
  operation('delete /token_issuers/:name', { name: fc.constantFrom('google', 'none') })
    .with({ who: 'key' })
    .served('key', { name: 'google' })
    .refused('key', { name: 'google' }),

  operation('delete /users/:user_id/second_factor', { user_id: field(any('user'), undefined, 'userId') })
    .with({ who: 'key' })
    .served('key', { user_id: user(1) })
    .refused('alice', { user_id: user(1) }),
  operation('get /sessions').served('alice').refused('key'),
  operation('delete /sessions/:id', { id: any('session') })
    .with({ changesCredentials: true })
    .served('alice', { id: session(0) })
    .refused('alice', { id: session(0) }),
  operation('delete /sessions').with({ changesCredentials: true }).served('carol').refused('key'),
  operation('get /users/:user_id/sessions', { user_id: field(any('user'), undefined, 'userId') })
    .with({ who: 'key' })
    .served('key', { user_id: user(2) })
    .refused('alice', { user_id: user(2) }),
  operation('delete /users/:user_id/sessions', { user_id: field(any('user'), undefined, 'userId') })
    .with({ who: 'key', changesCredentials: true })
    .served('key', { user_id: user(2) })
    .refused('key', { user_id: user('unknown') }),
];
