import fc from 'fast-check';
import {
  type Body,
  bit,
  command,
  flag,
  given,
  mostly,
  pageOf,
  pages,
  perhaps,
  pick,
  remember,
  text,
} from './command.ts';
import { formOf, type ParityFixture, type Pick } from './fixture.ts';

const blobFields = {
  name: mostly(fc.constantFrom('a.txt', 'Größe.png', 'x'.repeat(120))),
  contentType: mostly(fc.constantFrom('text/plain', 'image/png', 'no type')),
  isPublic: perhaps(flag),
  tags: perhaps(fc.constantFrom(['one'], ['one', 'two'], [])),
};
type BlobFields = {
  [Name in keyof typeof blobFields]: (typeof blobFields)[Name] extends fc.Arbitrary<infer V> ? V : never;
};

function blobOf({ name, contentType, isPublic, tags }: BlobFields) {
  return {
    legacy: { name, content_type: contentType, public: bit(isPublic), tag_list: tags?.join(',') },
    input: { name, contentType, public: isPublic, tags },
  };
}

function learnBlob(fixture: ParityFixture, { blob }: Body): void {
  remember(fixture, 'blob', blob.id);
  uids(fixture).set(blob.id, blob.uid);
  if (blob.blob_object_access) fixture.uploads.set(blob.id, formOf(blob.blob_object_access.params));
}

const uidsOf = new WeakMap<ParityFixture, Map<number | string, string>>();

function uids(fixture: ParityFixture): Map<number | string, string> {
  const known = uidsOf.get(fixture) ?? new Map([...fixture.uploads].map(([id, form]) => [id, form.key!]));
  uidsOf.set(fixture, known);
  return known;
}

function uidOf(fixture: ParityFixture, blob: Pick): string {
  return uids(fixture).get(fixture.pick('blob', blob)) ?? '0'.repeat(34);
}

const byId = (fixture: ParityFixture, { blob }: { blob: Pick }) => {
  const id = fixture.pick('blob', blob);
  return { path: { id }, variables: { id } };
};
/** A malformed id would be a different path. */
const known = pick.map((it) => (it === 'malformed' ? 'unknown' : it));
const byUid = (fixture: ParityFixture, { blob }: { blob: Pick }) => {
  const uid = uidOf(fixture, blob);
  return { path: { uid }, variables: { uid } };
};

export const contentCommands = [
  command(
    'post /blobs',
    blobFields,
    (_world, fields) => {
      const { legacy, input } = blobOf(fields);
      return { json: { blob: legacy }, variables: { input } };
    },
    { learn: learnBlob },
  ),
  command('get /blobs', pages, (_world, page) => {
    const { legacy, variables } = pageOf(page);
    return { query: legacy, variables };
  }),
  command('get /blobs/:id', { blob: known }, byId),
  command('get /blobs/:uid', { blob: known }, byUid),
  command('get /blobs/:uid/download', { blob: known }, byUid),
  command('get /blobs/:id/download', { blob: known }, byId),
  command(
    'put /blobs/:id',
    { blob: pick, isNew: flag, ...blobFields },
    (fixture, { blob, isNew, ...fields }) => {
      const id = fixture.pick('blob', blob);
      const { legacy, input } = blobOf(fields);
      return {
        path: { id },
        json: { blob: { ...legacy, new: bit(isNew) } },
        variables: { id, input: { ...input, new: isNew } },
      };
    },
    { learn: learnBlob },
  ),
  command('put /blobs/:id/complete', { blob: pick }, byId),
  command('delete /blobs/:id', { blob: pick }, byId),
  command(
    'post /uploads',
    { blob: pick, bytes: text, isForged: fc.constantFrom(false, false, false, true) },
    (fixture, { blob, bytes, isForged }) => {
      const form = { ...fixture.uploads.get(fixture.pick('blob', blob)) };
      if (isForged) form.signature = 'bm9uZQ==';
      return { form: { fields: form, bytes }, variables: {} };
    },
  ),
];

const degrees = fc.constantFrom(-91, 0, 12.5, 51.5, 52);
const place = {
  latitude: mostly(degrees),
  longitude: mostly(degrees),
  status: perhaps(fc.oneof({ weight: 6, arbitrary: text }, fc.constant('x'.repeat(1001)))),
};
const placeId = (fixture: ParityFixture, { datum }: { datum: Pick }) => {
  const id = fixture.pick('geodatum', datum);
  return { path: { id }, variables: { id } };
};

export const geodataCommands = [
  command('post /geodata', place, (_world, input) => ({ json: { geo_data: input }, variables: { input } }), {
    learn: (fixture, body) => remember(fixture, 'geodatum', body.geo_datum.id),
  }),
  command(
    'get /geodata/find',
    {
      ...pages,
      user: perhaps(pick),
      near: perhaps(fc.constant('51.5;0.1')),
      lastOnly: flag,
      withStatus: flag,
      ascending: flag,
    },
    (fixture, { user, near, lastOnly, withStatus, ascending, ...page }) => {
      const { legacy, variables } = pageOf(page);
      const userId = user === undefined || user === 'malformed' ? undefined : fixture.pick('user', user);
      return {
        query: given({
          ...legacy,
          'user.id': userId,
          current_position: near,
          radius: near && 5_000_000,
          last_only: bit(lastOnly),
          status: bit(withStatus),
          sort_asc: bit(ascending),
        }),
        variables: {
          ...variables,
          filter: userId === undefined ? undefined : { and: [{ userId: { in: [userId] } }] },
          position: near && { latitude: 51.5, longitude: 0.1 },
          radius: near && 5_000_000,
          latestOnly: lastOnly,
          withStatus,
          orderBy: { field: 'CREATED_AT', direction: ascending ? 'ASC' : 'DESC' },
        },
      };
    },
  ),
  command('get /geodata/:id', { datum: pick }, placeId),
  command('put /geodata/:id', { datum: pick, ...place }, (fixture, { datum, ...input }) => {
    const id = fixture.pick('geodatum', datum);
    return { path: { id }, json: { geo_data: input }, variables: { id, input } };
  }),
  command('delete /geodata/:id', { datum: pick }, placeId),
  command('delete /geodata', { days: mostly(fc.nat(2)) }, (_world, { days }) => ({
    json: { days },
    variables: { days },
  })),
];

const contact = fc.record({
  name: mostly(fc.constantFrom('Bob', 'Carol', '')),
  phone: mostly(fc.constantFrom('+44700900001', '+44700900002', '12')),
  destroy: fc.constantFrom(undefined, undefined, 1),
});
const udid = perhaps(fc.constantFrom('u1', 'u2', 'u1', 'u2', 'u'.repeat(65)));

export const addressBookCommands = [
  command(
    'post /address_book',
    { contacts: mostly(fc.array(contact, { minLength: 1, maxLength: 3 })), udid, force: perhaps(flag) },
    (_world, { contacts, udid, force }) => ({
      json: { contacts, udid, force: bit(force) },
      variables: { contacts: contacts?.map(({ destroy, ...it }) => ({ ...it, destroy })), udid, force },
    }),
  ),
  command('get /address_book', { udid }, (_world, { udid }) => ({ query: given({ udid }), variables: { udid } })),
  command('get /address_book/registered_users', { udid, compact: flag }, (_world, { udid, compact }) => ({
    query: given({ udid, compact: bit(compact) }),
    variables: { udid, compact },
  })),
];
