import fc from 'fast-check';
import { type Example, field, operation, spread } from './operation.ts';
import { any, flag, type Id, mostly, perhaps, Ref, ref, text } from './values.ts';

const record = ref('record');

/** `cars` always exists, because of its subscriptions; other classes come and go. */
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constant('cars') },
  { weight: 2, arbitrary: fc.constantFrom('wheels', 'boats', 'none') },
);
const className = field(name, 'class');
const classNames = {
  new: fc.constantFrom('boats', 'Planes', 'cars', '1st', ''),
  old: fc.constantFrom('boats', 'wheels', 'Planes', 'none'),
};
const access = fc.constantFrom('open', 'owner', 'open_for_users_ids', 'open_for_groups', 'not_allowed');
const user = fc.nat(3).map((nth) => new Ref('user', nth)) as unknown as fc.Arbitrary<Id>;

const permission = field(
  perhaps(
    fc.record({
      deed: fc.constantFrom('read', 'update', 'delete'),
      access,
      ids: perhaps(fc.array(user, { minLength: 1, maxLength: 2 })),
      groups: perhaps(fc.constantFrom(['g1'], ['odd', 'vip'])),
    }),
  ),
  ({ deed, ...given }) => ({ permissions: { [deed]: given } }),
  ({ deed, access, ...given }) => ({ permissions: { [deed]: { ...given, access: access.toUpperCase() } } }),
);

const values = fc
  .record({
    make: perhaps(fc.constantFrom('BMW', 'Audi', 'Größe')),
    year: perhaps(fc.oneof(fc.integer({ min: 1999, max: 2003 }), fc.constant('no number'))),
    tags: perhaps(fc.constantFrom(['red'], ['red', 'blue'], [], null)),
    price: perhaps(fc.constantFrom(1.5, -2, '3.25', 'dear')),
    used: perhaps(fc.constantFrom(true, false, 'maybe')),
    sold: perhaps(fc.constantFrom('2020-02-29', '2021-02-29', 1_600_000_000)),
    place: perhaps(fc.constantFrom('51.5, 0.1', [52, 12.5], [99, 0], 'nowhere')),
    sizes: perhaps(fc.constantFrom([1, 2], ['3'], ['no number'])),
    unknown: perhaps(text),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
const fields = field(values, spread);

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

const classFields = field(
  fc.constantFrom<Record<string, string>>({}, { size: 'Integer' }, { size: 'String', flag: 'Boolean' }),
  undefined,
  (given) => ({
    fields: Object.entries(given).map(([name, type]) => ({ name, type: type.toUpperCase(), array: false })),
  }),
);

const window = { skip: perhaps(fc.nat(2)), limit: perhaps(fc.integer({ min: 1, max: 4 })) };

const listing = {
  ...window,
  criteria: field(perhaps(criteria), (given) =>
    Object.fromEntries(
      Object.entries(given).flatMap(([field, tests]) =>
        Object.entries(tests).map(([operator, value]) => [`${field}[${operator}]`, value]),
      ),
    ),
  ),
  direction: field(
    fc.constantFrom(undefined, 'asc', 'desc'),
    (direction) => ({ [`sort_${direction}`]: 'year' }),
    (direction) => ({ orderBy: { field: 'year', direction: direction.toUpperCase() } }),
  ),
  how: field(
    fc.constantFrom('items', 'items', 'count', 'groups'),
    (how) => (how === 'count' ? { count: 1 } : how === 'groups' ? { group_by: 'make', 'year[calc]': 'max' } : {}),
    (how) => ({
      count: how === 'count',
      groups: how === 'groups',
      items: how === 'items',
      by: how === 'groups' ? 'make' : '',
      calculations: how === 'groups' ? [{ field: 'year', function: 'MAX' }] : [],
    }),
  ),
};
const defaults = { criteria: {}, skip: 0, limit: 100 };
const learn = { record: ({ _id }: { _id: string }) => _id };

const ofCar = {
  id: field(
    any('record'),
    (id) => ({ class: 'cars', id }),
    (id) => ({ className: 'cars', id }),
  ),
  fieldName: mostly(fc.constantFrom('motor', 'motor', 'motor', 'make')),
};

const file = (method: string, served: Example, refused: Example) =>
  operation(`${method} /data/:class/:id/file`, ofCar)
    .with({ isQuery: true, defaults: { fieldName: '' } })
    .served(...served)
    .refused(...refused);

export const records = [
  operation('post /class', { name: classNames.new, fields: classFields, permission })
    .with({ who: 'key' })
    .served('key', { name: 'boats', fields: { size: 'Integer' } })
    .refused('key', { name: '1st', fields: {} }),
  operation('get /class').with({ who: 'key' }).served('key').refused('alice'),
  operation('get /class/:name', { name })
    .with({ who: 'key' })
    .served('key', { name: 'boats' })
    .refused('key', { name: 'none' }),
  operation('put /class/:name', { name, fields: classFields, permission })
    .with({ who: 'key' })
    .served('key', { name: 'cars', fields: { size: 'Integer' } })
    .refused('key', { name: 'boats', fields: { size: 'String' } }),
  operation('delete /class/:name', { name: classNames.old })
    .with({ who: 'key' })
    .served('key', { name: 'boats' })
    .refused('key', { name: 'boats' }),
  operation('post /data/:class', {
    className,
    fields,
    permission,
    parentId: field(perhaps(any('record')), '_parent_id'),
  })
    .with({ learn })
    .served('bob', { className: 'cars', fields: { make: 'BMW', year: 2003 }, parentId: record(0) })
    .refused('bob', { className: 'cars', fields: { year: 'no number' } }),
  operation('get /data/:class', { className, ...listing })
    .with({ defaults: { ...defaults, lastOnly: false } })
    .served('bob', { className: 'cars', criteria: { year: { gt: 2000 } }, how: 'items' })
    .refused('bob', { className: 'cars', criteria: { make: { bad: 1 } }, how: 'items' }),
  operation('post /data/:class/:parent/:child', {
    parentClassName: field(
      name,
      (parent) => ({ class: parent, child: 'cars' }),
      (parent) => ({ parentClassName: parent, className: 'cars' }),
    ),
    parentId: field(any('record'), 'parent'),
    fields,
  })
    .with({ learn })
    .served('bob', { parentClassName: 'cars', parentId: record(0), fields: { make: 'Audi' } })
    .refused('bob', { parentClassName: 'cars', parentId: record('unknown'), fields: {} }),
  operation('get /data/:class/:parent/:child', {
    parent: field(
      any('record'),
      (parent) => ({ class: 'cars', parent, child: 'cars' }),
      (id) => ({ className: 'cars', parent: { className: 'cars', id } }),
    ),
    ...listing,
  })
    .with({ defaults: { ...defaults, lastOnly: false } })
    .served('bob', { parent: record(0), how: 'items' })
    .refused('bob', { parent: record('unknown'), how: 'items' }),
  operation('get /data/:class/:ids', { className })
    .served('bob', { className: 'cars', ids: [record(0), record(1)] })
    .refused('bob', { className: 'none', ids: [record(0), record(1)] }),
  operation('get /data/:class/:id', { className, ownOnly: field(perhaps(flag), 'permissions') })
    .served('alice', { className: 'cars', id: record(1), ownOnly: true })
    .refused('bob', { className: 'cars', id: record(1) }),
  operation('put /data/:class/:id', { className, fields, change: field(change, spread, spread), permission })
    .served('alice', { className: 'cars', id: record(0), fields: {}, change: { inc: { year: 1 } } })
    .refused('bob', { className: 'cars', id: record(0), fields: { make: 'Audi' } }),
  operation('post /data/:class/multi', {
    className,
    records: field(
      fc.array(values, { minLength: 1, maxLength: 3 }),
      (list) => ({ record: Object.fromEntries(list.map((one, place) => [place + 1, one])) }),
      (list) => ({ records: list.map((fields, place) => ({ number: place + 1, fields })) }),
    ),
  })
    .with({ learn: { record: ({ items }) => items.map(learn.record) } })
    .served('carol', { className: 'cars', records: [{ make: 'BMW' }, { year: 2001 }] })
    .refused('carol', { className: 'cars', records: [{}, { year: 'no number' }] }),
  operation('put /data/:class/multi', {
    className,
    records: field(
      fc.array(fc.record({ id: any('record'), fields: values }), { minLength: 1, maxLength: 2 }),
      (list) => ({ record: list.map(({ id, fields }) => ({ id, ...fields })) }),
      (list) => ({ records: list.map(({ id, fields }) => ({ id, changes: { fields } })) }),
    ),
  })
    .served('alice', { className: 'cars', records: [{ id: record(1), fields: { year: 2000 } }] })
    .refused('alice', { className: 'cars', records: [{ id: record(0), fields: { year: 'no' } }] }),
  operation('put /data/:class/by_criteria', {
    className,
    criteria: field(mostly(criteria), 'search_criteria'),
    fields,
    ...window,
  })
    .with({ defaults: { skip: 0, limit: 100 } })
    .served('alice', { className: 'cars', criteria: { make: { in: ['BMW', 'Audi'] } }, fields: { tags: ['red'] } })
    .refused('alice', { className: 'cars', fields: { tags: ['red'] } }),
  operation('post /data/:class/:id/file', { ...ofCar, bytes: text })
    .served('alice', { id: record(0), fieldName: 'motor', bytes: 'hello' })
    .refused('alice', { id: record(0), fieldName: 'make', bytes: 'hello' }),
  file('get', ['bob', { id: record(0), fieldName: 'motor' }], ['alice', { id: record(1), fieldName: 'motor' }]),
  file('delete', ['alice', { id: record(0), fieldName: 'motor' }], ['alice', { id: record(0), fieldName: 'motor' }]),
  operation('delete /data/:class/:id', { className })
    .served('alice', { className: 'cars', id: record(1) })
    .refused('alice', { className: 'cars', id: record(1) }),
  operation('delete /data/:class/:ids', { className })
    .served('bob', { className: 'cars', ids: [record(0), record(2)] })
    .refused('bob', { className: 'none', ids: [record(0), record(2)] }),
  operation('delete /data/:class/by_criteria', { className, criteria: field(mostly(criteria), spread) })
    .with({ defaults: { criteria: {} } })
    .served('key', { className: 'cars', criteria: { year: { gt: 2000 } } })
    .refused('key', { className: 'cars', criteria: { make: { bad: 1 } } }),
];
