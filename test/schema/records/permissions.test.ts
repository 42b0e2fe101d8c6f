import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { type Outcome, TRANSPORTS, type TransportClass } from '../../support/clients/record-transports.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import {
  apiKey,
  type Caller,
  createUser,
  onBehalfOf,
  openSession,
  type TestUser,
} from '../../support/fixtures/users.ts';

// One table of the contract's record permissions, checked on each transport.

useApp();

const DEEDS = ['read', 'update', 'delete'] as const;
type Deed = (typeof DEEDS)[number];

/** The record permission for an operation; `not_allowed` is set on the class while the record says `open`. */
const KINDS = ['open', 'owner', 'open_for_users_ids', 'open_for_groups', 'not_allowed'] as const;
type Kind = (typeof KINDS)[number];

const CALLERS = [
  'owner',
  'named',
  'member',
  'stranger',
  'application',
  'key',
  'key for the owner',
  'key for a stranger',
];

/** Records of the owner in classes that set `not_allowed` for one operation. */
const CLASSES: Record<Deed | 'none', TransportClass> = {
  none: { name: 'cars', type: 'Car', one: 'car', many: 'cars' },
  read: { name: 'secrets', type: 'Secret', one: 'secret', many: 'secrets' },
  update: { name: 'stones', type: 'Stone', one: 'stone', many: 'stones' },
  delete: { name: 'monuments', type: 'Monument', one: 'monument', many: 'monuments' },
};

let owner: TestUser;
let named: TestUser;
let callers: Record<string, Caller>;

beforeAll(async () => {
  owner = await createUser({ tag_list: 'g3' });
  named = await createUser({ tag_list: 'g3' });
  const stranger = await createUser({ tag_list: 'g3,g,G1,g11' });
  callers = {
    owner,
    named,
    member: await createUser({ tag_list: 'g2,g1' }),
    stranger,
    application: await openSession(),
    key: apiKey,
    'key for the owner': onBehalfOf(owner),
    'key for a stranger': onBehalfOf(stranger),
  };
  const fields = { make: 'String', value: 'Integer' };
  await defineClass('cars', fields);
  for (const deed of DEEDS) {
    await defineClass(CLASSES[deed].name, fields, { permissions: { [deed]: { access: 'NOT_ALLOWED' } } });
  }
});

function expected(deed: Deed, kind: Kind, caller: string): Outcome {
  if (caller === 'key') return 'allowed';
  if (caller === 'application' && deed !== 'read') return 'needs a user';
  if (kind === 'not_allowed') return 'forbidden';
  if (caller === 'owner' || caller === 'key for the owner') return 'allowed';
  const granted: Record<string, string[]> = {
    open: CALLERS,
    owner: [],
    open_for_users_ids: ['named'],
    open_for_groups: ['member'],
  };
  return granted[kind]!.includes(caller) ? 'allowed' : 'forbidden';
}

function permission(kind: Kind) {
  switch (kind) {
    case 'not_allowed':
      return { access: 'open' };
    case 'open_for_users_ids':
      return { access: kind, ids: [2_000_000_000, named.id] };
    case 'open_for_groups':
      return { access: kind, groups: ['g1', 'g0'] };
    default:
      return { access: kind };
  }
}

const makes = new Set<string>();

async function recordOf(deed: Deed, kind: Kind): Promise<{ of: TransportClass; id: string; make: string }> {
  const of = kind === 'not_allowed' ? CLASSES[deed] : CLASSES.none;
  const make = `make-${makes.size}`;
  makes.add(make);
  const permissions = { read: { access: 'open' }, [deed]: permission(kind) };
  const { _id: id } = await created(`/data/${of.name}`, { make, value: 1, permissions }, owner);
  return { of, id, make };
}

const CELLS = KINDS.flatMap((kind) => DEEDS.map((deed) => [deed, kind] as const));

describe.each(Object.entries(TRANSPORTS))('permissions through %s', (_name, transport) => {
  const deeds = { read: transport.read, update: transport.update, delete: transport.remove };

  test.each(CELLS)('callers may %s a record with permission %s as the contract says', async (deed, kind) => {
    const outcomes: Record<string, Outcome> = {};
    for (const caller of CALLERS) {
      const { of, id } = await recordOf(deed, kind);
      outcomes[caller] = await deeds[deed](callers[caller]!, of, id);
    }
    expect(outcomes).toEqual(Object.fromEntries(CALLERS.map((caller) => [caller, expected(deed, kind, caller)])));
  });

  test.each(KINDS)(
    'lists and counts contain a record with permission %s only for callers who may read it',
    async (kind) => {
      const { of, id, make } = await recordOf('read', kind);
      for (const caller of CALLERS) {
        const as = callers[caller]!;
        const ids = expected('read', kind, caller) === 'allowed' ? [id] : [];
        expect(await transport.list(as, of, make), caller).toEqual(ids);
        expect(await transport.count(as, of, make), caller).toBe(ids.length);
      }
    },
  );

  test.each(KINDS)(
    'a deletion of several records with permission %s deletes those that the caller may delete',
    async (kind) => {
      for (const caller of CALLERS.filter((name) => name !== 'application')) {
        const { of, id } = await recordOf('delete', kind);
        const deleted = await transport.removeSeveral(callers[caller]!, of, [id, '0'.repeat(24)]);
        expect(deleted, caller).toEqual(expected('delete', kind, caller) === 'allowed' ? [id] : []);
      }
    },
  );
});

test('a right to one operation on a record grants no other operation', async () => {
  for (const deed of DEEDS) {
    const permissions = Object.fromEntries(DEEDS.map((one) => [one, { access: one === deed ? 'open' : 'owner' }]));
    for (const [name, transport] of Object.entries(TRANSPORTS)) {
      const { _id: id } = await created('/data/cars', { make: 'AB', permissions }, owner);
      const deeds = { read: transport.read, update: transport.update, delete: transport.remove };
      const others = DEEDS.filter((one) => one !== deed);
      for (const other of others) {
        expect(await deeds[other](callers.stranger!, CLASSES.none, id), `${deed}, ${other}, ${name}`).toBe('forbidden');
      }
    }
  }
});

test('each form of permission names its users, and the class applies where the record has none', async () => {
  const ids = { access: 'OPEN_FOR_USERS_IDS', ids: [named.id] };
  await defineClass('shared', { make: 'String' }, { permissions: { read: ids, update: ids, delete: ids } });
  const shared = { name: 'shared', type: 'Shared', one: 'shared', many: 'shareds' };
  for (const transport of Object.values(TRANSPORTS)) {
    for (const deed of [transport.read, transport.update, transport.remove]) {
      const { _id: id } = await created('/data/shared', { make: 'AB' }, owner);
      expect(await deed(callers.stranger!, shared, id)).toBe('forbidden');
      expect(await deed(named, shared, id)).toBe('allowed');
    }
  }
  const { createShared } = await execute(
    'mutation { createShared(input: { make: "CD" }) { permissions { read { access ids groups } } } }',
    {},
    owner,
  );
  expect(createShared.permissions.read).toEqual({ access: 'OPEN_FOR_USERS_IDS', ids: [named.id], groups: null });
});
