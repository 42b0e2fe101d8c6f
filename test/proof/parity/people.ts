import fc from 'fast-check';
import { sign } from '../../../src/lib/signature.ts';
import { running } from '../../support/app/app.ts';
import {
  type Body,
  command,
  given,
  mostly,
  mostlyKey,
  mostlySessions,
  pageOf,
  pages,
  perhaps,
  pick,
  remember,
  text,
} from './command.ts';
import { PASSWORD, type ParityFixture } from './fixture.ts';

const name = fc.constantFrom('alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'Erin', 'er', 'er in');
const tags = fc.constantFrom(['g1'], ['even', 'vip'], [], ['a', 'b', 'c', 'd', 'e', 'f'], ['x'.repeat(60)]);

const about = {
  fullName: perhaps(text),
  email: perhaps(fc.oneof({ weight: 5, arbitrary: name.map((it) => `${it}@example.org`) }, fc.constant('no address'))),
  phone: perhaps(fc.constantFrom('+447009000009', '12')),
  website: perhaps(fc.constantFrom('https://example.org', 'no address')),
  externalUserId: perhaps(fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1000, max: 1006 }) }, fc.constant(0))),
  facebookId: perhaps(fc.constantFrom('7770', '7771', '7775', '7776', 'abc', '')),
  twitterId: perhaps(fc.constantFrom('8880', '8886', null)),
  blobId: perhaps(fc.constantFrom(5, 0, null)),
  parentsContacts: perhaps(text),
  customData: perhaps(text),
  tags: perhaps(tags),
  ageOver16: perhaps(fc.boolean()),
};

const LEGACY: Record<string, string> = { tags: 'tag_list', ageOver16: 'age_over16' };

function legacyOf(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => {
      const legacy = LEGACY[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [legacy, field === 'tags' ? (value as string[] | undefined)?.join(',') : value];
    }),
  );
}

const learnUser = (fixture: ParityFixture, body: Body) => remember(fixture, 'user', body.user.id);
const externalId = fc.integer({ min: 1000, max: 1007 });

export const userCommands = [
  command(
    'post /users',
    { login: mostly(name), password: mostly(fc.constantFrom(PASSWORD, PASSWORD, 'short')), ...about },
    (_world, fields) => ({ json: { user: legacyOf(fields) }, variables: { input: textIds(fields) } }),
    { learn: learnUser },
  ),
  command(
    'get /users',
    { ...pages, login: perhaps(name), descending: fc.boolean() },
    (_world, { login, descending, ...page }) => {
      const { legacy, variables } = pageOf(page);
      return {
        query: given({
          ...legacy,
          'filter[]': login && `string login eq ${login}`,
          order: `${descending ? 'desc' : 'asc'} number id`,
        }),
        variables: {
          ...variables,
          filter: login && { and: [{ login: { eq: login } }] },
          orderBy: { field: 'ID', direction: descending ? 'DESC' : 'ASC' },
        },
      };
    },
  ),
  command(
    'get /users/by_full_name',
    { ...pages, fullName: mostly(fc.constantFrom('parity', 'alice', 'anonymous', 'x')) },
    (_world, { fullName, ...page }) => {
      const { legacy, variables } = pageOf(page);
      return {
        query: given({ ...legacy, full_name: fullName }),
        variables: { ...variables, fullName: fullName ?? '' },
      };
    },
  ),
  command('get /users/by_tags', { ...pages, tags: mostly(tags) }, (_world, { tags, ...page }) => {
    const { legacy, variables } = pageOf(page);
    return { query: given({ ...legacy, tags: tags?.join(',') }), variables: { ...variables, tags: tags ?? [] } };
  }),
  ...(
    [
      ['by_login', 'login', 'login', name],
      ['by_email', 'email', 'email', name.map((it) => `${it}@example.org`)],
      ['by_facebook_id', 'facebook_id', 'facebookId', fc.constantFrom('7770', '7771', '7779')],
      ['by_twitter_id', 'twitter_id', 'twitterId', fc.constantFrom('8880', '8881', '8889')],
      ['phone', 'phone', 'phone', fc.constantFrom('+44700900000', '+44700900001', '+44700900009')],
    ] as const
  ).map(([place, legacy, field, values]) =>
    command(`get /users/${place}`, { value: mostly(values as fc.Arbitrary<string>) }, (_world, { value }) => ({
      query: given({ [legacy]: value }),
      variables: { [field]: value ?? '' },
    })),
  ),
  command('get /users/external/:externalUserId', { id: externalId }, (_world, { id }) => ({
    path: { externalUserId: id },
    variables: { externalUserId: id },
  })),
  command('get /users/:id', { user: pick }, (fixture, { user }) => {
    const id = fixture.pick('user', user);
    return { path: { id }, variables: { id } };
  }),
  command(
    'put /users/:id',
    {
      user: pick,
      login: perhaps(name),
      change: fc.constantFrom(
        undefined,
        undefined,
        undefined,
        { oldPassword: PASSWORD, password: 'password-2' },
        { oldPassword: 'wrong-one', password: PASSWORD },
        { oldPassword: PASSWORD, password: 'short' },
        { password: PASSWORD },
        { oldPassword: PASSWORD },
      ),
      ...about,
    },
    (fixture, { user, change, ...fields }) => {
      const id = fixture.pick('user', user);
      const all = { ...fields, ...change };
      return { path: { id }, json: { user: legacyOf(all) }, variables: { id, input: textIds(all) } };
    },
    { changesCredentials: true },
  ),
  command(
    'delete /users/external/:externalUserId',
    { id: externalId },
    (_world, { id }) => ({ path: { externalUserId: id }, variables: { externalUserId: id } }),
    { changesCredentials: true, who: mostlyKey },
  ),
  command(
    'delete /users/:id',
    { user: pick },
    (fixture, { user }) => {
      const id = fixture.pick('user', user);
      return { path: { id }, variables: { id } };
    },
    { changesCredentials: true },
  ),
  command(
    'get /users/password/reset',
    { email: mostly(fc.constantFrom('alice@example.org', 'bob@example.org', 'nobody@example.org', 'no address')) },
    (_world, { email }) => ({ query: given({ email }), variables: { email: email ?? '' } }),
    { who: mostlySessions },
  ),
];

export const sessionCommands = [
  command(
    'post /session',
    {
      login: perhaps(fc.constantFrom('alice', 'bob', 'anonymous')),
      password: fc.constantFrom(PASSWORD, PASSWORD, 'wrong-one'),
      wrong: fc.constantFrom(undefined, undefined, undefined, 'signature', 'auth_key', 'application_id'),
    },
    (fixture, { login, password, wrong }) => {
      const signed: Record<string, string> = {
        application_id: String(fixture.applicationId),
        auth_key: fixture.authKey,
        nonce: String(fixture.nonce++),
        timestamp: String(Math.floor(running.now().getTime() / 1000)),
        ...(login && { 'user[login]': login, 'user[password]': password }),
      };
      if (wrong === 'auth_key') signed.auth_key = 'none';
      if (wrong === 'application_id') signed.application_id = '99999999';
      const secret = wrong === 'signature' ? 'none' : fixture.authSecret;
      const parameters = { ...signed, signature: sign(Object.entries(signed), secret, 'sha1') };
      const { 'user[login]': _login, 'user[password]': _password, ...flat } = parameters as Record<string, string>;
      return {
        json: { ...flat, ...(login && { user: { login, password } }) },
        variables: { parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })) },
      };
    },
  ),
  command('get /session', {}, () => ({ variables: {} }), { who: mostlySessions }),
  command('delete /session', {}, () => ({ variables: {} }), { who: mostlySessions, changesCredentials: true }),
  command(
    'post /login',
    {
      by: fc.constantFrom('login', 'email'),
      who: fc.constantFrom('alice', 'bob', 'carol', 'anonymous'),
      password: mostly(fc.constantFrom(PASSWORD, PASSWORD, PASSWORD, 'wrong-one')),
    },
    (_world, { by, who, password }) => {
      const input = { [by]: by === 'email' ? `${who}@example.org` : who, password };
      return { json: input, variables: { input } };
    },
    { who: mostlySessions, changesCredentials: true },
  ),
  command('delete /login', {}, () => ({ variables: {} }), { who: mostlySessions, changesCredentials: true }),
  command('get /account_settings', {}, () => ({ variables: {} })),
];

/** GraphQL has texts as ids of external systems. */
function textIds<Fields extends { externalUserId?: number | undefined }>({ externalUserId, ...fields }: Fields) {
  return { ...fields, externalUserId: externalUserId === undefined ? undefined : String(externalUserId) };
}
