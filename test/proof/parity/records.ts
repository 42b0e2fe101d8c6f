import fc from 'fast-check';
import {
  type Body,
  bit,
  command,
  given,
  mostly,
  mostlyKey,
  page,
  perhaps,
  pick,
  remember,
  several,
  text,
} from './command.ts';
import type { ParityFixture } from './fixture.ts';

/** `cars` always exists, because of its subscriptions; other classes come and go. */
const className = fc.oneof(
  { weight: 8, arbitrary: fc.constant('cars') },
  { weight: 2, arbitrary: fc.constantFrom('wheels', 'boats', 'none') },
);
const newName = fc.constantFrom('boats', 'Planes', 'cars', '1st', '');
const access = fc.constantFrom('open', 'owner', 'open_for_users_ids', 'open_for_groups', 'not_allowed');

const permission = fc.record({
  deed: fc.constantFrom('read', 'update', 'delete'),
  access,
  ids: perhaps(fc.array(fc.nat(3), { minLength: 1, maxLength: 2 })),
  groups: perhaps(fc.constantFrom(['g1'], ['odd', 'vip'])),
});
type Permission = typeof permission extends fc.Arbitrary<infer Value> ? Value : never;

function permissionsOf(fixture: ParityFixture, permission: Permission | undefined) {
  if (!permission) return { legacy: undefined, input: undefined };
  const { deed, access, groups } = permission;
  const ids = permission.ids?.map((nth) => fixture.pick('user', { nth }));
  return {
    legacy: { [deed]: { access, ids, groups } },
    input: { [deed]: { access: access.toUpperCase(), ids, groups } },
  };
}

const fields = {
  make: perhaps(fc.constantFrom('BMW', 'Audi', 'Größe')),
  year: perhaps(fc.oneof(fc.integer({ min: 1999, max: 2003 }), fc.constant('no number'))),
  tags: perhaps(fc.constantFrom(['red'], ['red', 'blue'], [], null)),
  price: perhaps(fc.constantFrom(1.5, -2, '3.25', 'dear')),
  used: perhaps(fc.constantFrom(true, false, 'maybe')),
  sold: perhaps(fc.constantFrom('2020-02-29', '2021-02-29', 1_600_000_000)),
  place: perhaps(fc.constantFrom('51.5, 0.1', [52, 12.5], [99, 0], 'nowhere')),
  sizes: perhaps(fc.constantFrom([1, 2], ['3'], ['no number'])),
  unknown: perhaps(text),
};
const record = fc.record(fields).map(given);
const criteria = fc.constantFrom<Record<string, Record<string, unknown>>>(
  { make: { in: ['BMW', 'Audi'] } },
  { year: { gt: 2000 } },
  { year: { lte: 2001 }, make: { ne: 'Audi' } },
  { make: { bad: 1 } },
  { make: { ctn: 'W' }, price: { gte: 1 } },
  { tags: { all: ['red'] } },
  { tags: { nin: ['blue', 'green'] } },
  { used: { ne: true } },
  { sold: { lt: 1_700_000_000 } },
  { sizes: { in: [1, 3] } },
  { make: { or: ['BMW', 'Audi'] }, year: { or: [2001] } },
  { make: { lt: 'X' } },
  { none: { gt: 1 } },
  { year: { gt: 'no number' } },
);
const change = fc.constantFrom<Record<string, object>>(
  {},
  {},
  { inc: { year: 1 } },
  { push: { tags: ['green'] } },
  { pop: { tags: 1 } },
  { pull: { tags: 'red' } },
  { pull: { sizes: { gt: 1 } } },
  { inc: { make: 1 } },
  { inc: { price: 'much' } },
  { push: { year: 1 } },
  { pop: { tags: 3 } },
);
const learn = (fixture: ParityFixture, body: Body) => remember(fixture, 'record', body._id);
const TYPES = { Integer: 'INTEGER', String: 'STRING', Boolean: 'BOOLEAN' } as const;
const classFields = fc.constantFrom<Record<string, keyof typeof TYPES>>(
  {},
  { size: 'Integer' },
  { size: 'String', flag: 'Boolean' },
);

function typed(fields: Record<string, keyof typeof TYPES>) {
  return Object.entries(fields).map(([name, type]) => ({ name, type: TYPES[type], array: false }));
}

export const classCommands = [
  command(
    'post /class',
    { name: newName, fields: classFields, permission: perhaps(permission) },
    (fixture, { name, fields, permission }) => {
      const { legacy, input } = permissionsOf(fixture, permission);
      return {
        json: { name, fields, permissions: legacy },
        variables: { input: { name, fields: typed(fields), permissions: input } },
      };
    },
    { who: mostlyKey },
  ),
  command('get /class', {}, () => ({ variables: {} }), { who: mostlyKey }),
  command('get /class/:name', { name: className }, (_world, { name }) => ({ path: { name }, variables: { name } }), {
    who: mostlyKey,
  }),
  command(
    'put /class/:name',
    { name: className, fields: classFields, permission: perhaps(permission) },
    (fixture, { name, fields, permission }) => {
      const { legacy, input } = permissionsOf(fixture, permission);
      return {
        path: { name },
        json: { fields, permissions: legacy },
        variables: { name, input: { fields: typed(fields), permissions: input } },
      };
    },
    { who: mostlyKey },
  ),
  command(
    'delete /class/:name',
    { name: fc.constantFrom('boats', 'wheels', 'Planes', 'none') },
    (_world, { name }) => ({ path: { name }, variables: { name } }),
    { who: mostlyKey },
  ),
];

const listing = {
  ...page,
  criteria: perhaps(criteria),
  descending: perhaps(fc.boolean()),
  how: fc.constantFrom('items', 'items', 'count', 'groups'),
};
type Listing = { [Name in keyof typeof listing]: (typeof listing)[Name] extends fc.Arbitrary<infer V> ? V : never };

function listed({ skip, limit, criteria, descending, how }: Listing) {
  const filters = Object.entries(criteria ?? {}).flatMap(([field, tests]) =>
    Object.entries(tests).map(([operator, value]) => [`${field}[${operator}]`, String(value)]),
  );
  return {
    query: given({
      skip,
      limit,
      [descending ? 'sort_desc' : 'sort_asc']: descending === undefined ? undefined : 'year',
      count: how === 'count' ? 1 : undefined,
      group_by: how === 'groups' ? 'make' : undefined,
      'year[calc]': how === 'groups' ? 'max' : undefined,
      ...Object.fromEntries(filters),
    }),
    variables: {
      criteria: criteria ?? {},
      orderBy: descending === undefined ? undefined : { field: 'year', direction: descending ? 'DESC' : 'ASC' },
      skip: skip ?? 0,
      limit: limit ?? 100,
      lastOnly: false,
      count: how === 'count',
      groups: how === 'groups',
      items: how === 'items',
      by: how === 'groups' ? 'make' : '',
      calculations: how === 'groups' ? [{ field: 'year', function: 'MAX' }] : [],
    },
  };
}

export const recordCommands = [
  command(
    'post /data/:class',
    { className, record, permission: perhaps(permission), parent: fc.option(pick, { nil: undefined, freq: 1 }) },
    (fixture, { className, record, permission, parent }) => {
      const { legacy, input } = permissionsOf(fixture, permission);
      const parentId = parent && fixture.pick('record', parent);
      return {
        path: { class: className },
        json: { ...record, permissions: legacy, _parent_id: parentId },
        variables: { input: { className, fields: record, permissions: input, parentId } },
      };
    },
    { learn },
  ),
  command('get /data/:class', { className, ...listing }, (_world, { className, ...rest }) => {
    const { query, variables } = listed(rest);
    return { path: { class: className }, query, variables: { className, ...variables } };
  }),
  command('get /data/:class/:parent/:child', { parent: pick, ...listing }, (fixture, { parent, ...rest }) => {
    const id = fixture.pick('record', parent);
    const { query, variables } = listed(rest);
    return {
      path: { class: 'cars', parent: id, child: 'cars' },
      query,
      variables: { className: 'cars', parent: { className: 'cars', id }, ...variables },
    };
  }),
  command(
    'post /data/:class/:parent/:child',
    { className, parent: pick, record },
    (fixture, { className, parent, record }) => {
      const id = fixture.pick('record', parent);
      return {
        path: { class: className, parent: id, child: 'cars' },
        json: record,
        variables: { input: { className: 'cars', parentClassName: className, parentId: id, fields: record } },
      };
    },
    { learn },
  ),
  command('get /data/:class/:ids', { className, records: several }, (fixture, { className, records }) => {
    const ids = records.map((one) => fixture.pick('record', one));
    return { path: { class: className, ids: ids.join(',') }, variables: { className, ids } };
  }),
  command('delete /data/:class/:ids', { className, records: several }, (fixture, { className, records }) => {
    const ids = records.map((one) => fixture.pick('record', one));
    return { path: { class: className, ids: ids.join(',') }, variables: { className, ids } };
  }),
  command('get /data/:class/:id', { className, record: pick, permissions: perhaps(fc.boolean()) }, (fixture, args) => {
    const id = fixture.pick('record', args.record);
    return {
      path: { class: args.className, id },
      query: given({ permissions: bit(args.permissions) }),
      variables: { className: args.className, id, ownOnly: args.permissions === true },
    };
  }),
  command(
    'put /data/:class/:id',
    { className, record: pick, fields: record, change, permission: fc.option(permission, { nil: undefined, freq: 1 }) },
    (fixture, { className, record, fields, change, permission }) => {
      const id = fixture.pick('record', record);
      const { legacy, input } = permissionsOf(fixture, permission);
      return {
        path: { class: className, id },
        json: { ...fields, ...change, permissions: legacy },
        variables: { className, id, input: { fields, ...change, permissions: input } },
      };
    },
  ),
  command('delete /data/:class/:id', { className, record: pick }, (fixture, { className, record }) => {
    const id = fixture.pick('record', record);
    return { path: { class: className, id }, variables: { className, id } };
  }),
  command(
    'post /data/:class/multi',
    { className, records: fc.array(record, { minLength: 1, maxLength: 3 }) },
    (_world, { className, records }) => ({
      path: { class: className },
      json: { record: Object.fromEntries(records.map((one, place) => [place + 1, one])) },
      variables: { className, records: records.map((fields, place) => ({ number: place + 1, fields })) },
    }),
    {
      learn: (fixture, body) => {
        for (const one of body.items) remember(fixture, 'record', one._id);
      },
    },
  ),
  command(
    'put /data/:class/multi',
    { className, records: fc.array(fc.record({ one: pick, fields: record }), { minLength: 1, maxLength: 2 }) },
    (fixture, { className, records }) => {
      const named = records.map(({ one, fields }) => ({ id: fixture.pick('record', one), fields }));
      return {
        path: { class: className },
        json: { record: named.map(({ id, fields }) => ({ id, ...fields })) },
        variables: { className, records: named.map(({ id, fields }) => ({ id, changes: { fields } })) },
      };
    },
  ),
  command(
    'put /data/:class/by_criteria',
    { className, criteria: mostly(criteria), fields: record, ...page },
    (_world, { className, criteria, fields, skip, limit }) => ({
      path: { class: className },
      json: { search_criteria: criteria, ...fields, skip, limit },
      variables: { className, criteria, input: { fields }, skip: skip ?? 0, limit: limit ?? 100 },
    }),
  ),
  command(
    'delete /data/:class/by_criteria',
    { className, criteria: mostly(criteria) },
    (_world, { className, criteria }) => ({
      path: { class: className },
      json: criteria ?? {},
      variables: { className, criteria: criteria ?? {} },
    }),
  ),
];
