import fc from 'fast-check';
import { sign } from '../../../src/lib/signature.ts';
import { running } from '../app/app.ts';
import { field, NO_PAGE, ONE_PAGE, operation, page, snakeCase } from './operation.ts';
import { mostly, perhaps, ref, text } from './values.ts';

export const PASSWORD = 'password-1';
const user = ref('user');
const name = fc.constantFrom('alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'Erin', 'er', 'er in');
const email = name.map((it) => `${it}@example.org`);
const tags = fc.constantFrom(['g1'], ['even', 'vip'], [], ['a', 'b', 'c', 'd', 'e', 'f'], ['x'.repeat(60)]);
const externalId = fc.integer({ min: 1000, max: 1007 });

/** GraphQL has texts as ids of external systems. */
const external = fc.oneof({ weight: 5, arbitrary: externalId }, fc.constant(0));

const about = {
  fullName: perhaps(text),
  email: perhaps(fc.oneof({ weight: 5, arbitrary: email }, fc.constant('no address'))),
  phone: perhaps(fc.constantFrom('+447009000009', '12')),
  website: perhaps(fc.constantFrom('https://example.org', 'no address')),
  externalUserId: field(perhaps(external), undefined, (id) => ({ externalUserId: String(id) })),
  facebookId: perhaps(fc.constantFrom('7770', '7771', '7775', '7776', 'abc', '')),
  twitterId: perhaps(fc.constantFrom('8880', '8886', null)),
  blobId: perhaps(fc.constantFrom(5, 0, null)),
  parentsContacts: perhaps(text),
  customData: perhaps(text),
  tags: field(perhaps(tags), (list) => ({ tag_list: list.join(',') })),
  ageOver16: perhaps(fc.boolean()),
};

const passwords = fc.constantFrom<{ oldPassword?: string; password?: string } | undefined>(
  undefined,
  undefined,
  undefined,
  { oldPassword: PASSWORD, password: 'password-2' },
  { oldPassword: 'wrong-one', password: PASSWORD },
  { oldPassword: PASSWORD, password: 'short' },
  { password: PASSWORD },
  { oldPassword: PASSWORD },
);

/** Finds one user by a parameter. */
const lookup = (path: string, parameter: string, values: fc.Arbitrary<string>, found: string, missing: string) =>
  operation(`get /users/${path}`, { [parameter]: mostly(values) })
    .with({ defaults: { [parameter]: '' } })
    .served('alice', { [parameter]: found })
    .refused('alice', { [parameter]: missing });

export const people = [
  operation('get /account_settings').served('anonymous'),
  operation('post /session', {
    login: perhaps(fc.constantFrom('alice', 'bob', 'anonymous')),
    password: fc.constantFrom(PASSWORD, PASSWORD, 'wrong-one'),
    wrong: fc.constantFrom(undefined, undefined, undefined, 'signature', 'auth_key', 'application_id'),
  })
    .with({
      adapt: (_call, { login, password, wrong }, fixture) => {
        const signed: Record<string, string> = {
          application_id: wrong === 'application_id' ? '99999999' : String(fixture.applicationId),
          auth_key: wrong === 'auth_key' ? 'none' : fixture.authKey,
          nonce: String(fixture.nonce++),
          timestamp: String(Math.floor(running.now().getTime() / 1000)),
        };
        const credentials = login ? { 'user[login]': String(login), 'user[password]': String(password) } : {};
        const secret = wrong === 'signature' ? 'none' : fixture.authSecret;
        const signature = sign(Object.entries({ ...signed, ...credentials }), secret, 'sha1');
        const parameters = Object.entries({ ...signed, ...credentials, signature });
        return {
          json: { ...signed, signature, ...(login ? { user: { login, password } } : {}) },
          variables: { parameters: parameters.map(([name, value]) => ({ name, value })) },
        };
      },
    })
    .served('anonymous', { login: 'alice', password: PASSWORD })
    .refused('anonymous', { login: 'alice', password: PASSWORD, wrong: 'signature' }),
  operation('get /session').with({ who: 'session' }).served('session of alice').refused('key'),
  operation('post /login', {
    by: field(
      fc.record({
        name: fc.constantFrom('login', 'email'),
        who: fc.constantFrom('alice', 'bob', 'carol', 'anonymous'),
      }),
      ({ name, who }) => ({ [name]: name === 'email' ? `${who}@example.org` : who }),
      ({ name, who }) => ({ [name]: name === 'email' ? `${who}@example.org` : who }),
    ),
    password: mostly(fc.constantFrom(PASSWORD, PASSWORD, PASSWORD, 'wrong-one')),
  })
    .with({ who: 'session', changesCredentials: true })
    .served('application session', { by: { name: 'login', who: 'bob' }, password: PASSWORD })
    .refused('application session', { by: { name: 'email', who: 'bob' }, password: 'wrong-one' }),
  operation('delete /login')
    .with({ who: 'session', changesCredentials: true })
    .served('application session')
    .refused('refused token'),
  operation('get /users/password/reset', {
    email: mostly(fc.constantFrom('alice@example.org', 'bob@example.org', 'nobody@example.org', 'no address')),
  })
    .with({ who: 'session', defaults: { email: '' } })
    .served('session of alice', { email: 'alice@example.org' })
    .refused('session of alice', { email: 'nobody@example.org' }),
  operation('post /users', {
    login: mostly(name),
    password: mostly(fc.constantFrom(PASSWORD, PASSWORD, 'short')),
    ...about,
  })
    .with({ wrapper: 'user', learn: { user: ({ user }) => user.id } })
    .served('application session', { login: 'erin', password: PASSWORD, tags: ['vip'] })
    .refused('application session', { login: 'alice', password: PASSWORD }),
  operation('get /users', {
    page,
    login: field(
      perhaps(name),
      (login) => ({ 'filter[]': `string login eq ${login}` }),
      (login) => ({ filter: { and: [{ login: { eq: login } }] } }),
    ),
    order: field(
      fc.constantFrom('asc', 'desc'),
      (order) => ({ order: `${order} number id` }),
      (order) => ({ orderBy: { field: 'ID', direction: order.toUpperCase() } }),
    ),
  })
    .served('alice', { page: ONE_PAGE, order: 'desc' })
    .refused('alice', { page: NO_PAGE, order: 'desc' }),
  operation('get /users/by_full_name', { page, fullName: mostly(fc.constantFrom('parity', 'alice', 'anonymous', 'x')) })
    .with({ defaults: { fullName: '' } })
    .served('alice', { page: ONE_PAGE, fullName: 'parity' })
    .refused('alice', { page: ONE_PAGE, fullName: 'anonymous' }),
  operation('get /users/by_tags', { page, tags: mostly(tags) })
    .with({ defaults: { tags: [] } })
    .served('alice', { page: ONE_PAGE, tags: ['even', 'vip'] })
    .refused('alice', { page: ONE_PAGE, tags: ['anonymous'] }),
  lookup('by_login', 'login', name, 'Erin', 'frank'),
  lookup('by_email', 'email', email, 'bob@example.org', 'frank@example.org'),
  lookup('by_facebook_id', 'facebookId', fc.constantFrom('7770', '7771', '7779'), '7771', '7779'),
  lookup('by_twitter_id', 'twitterId', fc.constantFrom('8880', '8881', '8889'), '8881', '8889'),
  lookup(
    'phone',
    'phone',
    fc.constantFrom('+44700900000', '+44700900001', '+44700900009'),
    '+44700900001',
    '+44700900009',
  ),
  operation('get /users/external/:externalUserId', { externalUserId: externalId })
    .served('alice', { externalUserId: 1001 })
    .refused('alice', { externalUserId: 1007 }),
  operation('get /users/:id')
    .served('alice', { id: user(1) })
    .refused('alice', { id: user('foreign') }),
  operation('put /users/:id', {
    login: perhaps(name),
    passwords: field(
      passwords,
      (given) => Object.fromEntries(Object.entries(given).map(([key, value]) => [snakeCase(key), value])),
      (given) => given,
    ),
    ...about,
  })
    .with({ wrapper: 'user', changesCredentials: true })
    .served('alice', { id: user(0), fullName: 'Alice B', tags: ['g1'] })
    .refused('alice', { id: user(1), fullName: 'Alice B' }),
];
