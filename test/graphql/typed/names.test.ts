import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { defineClass, type FieldTypes } from '../../support/fixtures/typed-classes.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const LONG = 'x'.repeat(50);

/** In creation order: on a name clash, the older class keeps the plain name. */
const CLASSES: [name: string, type: string, one: string, many: string][] = [
  ['users', 'UserRecord', 'userRecord', 'userRecords'],
  ['Cars', 'Car', 'car', 'cars'],
  ['car', 'CarRecord', 'carRecord', 'carRecords'],
  ['CarConnection', 'CarConnection', 'carConnection', 'carConnections'],
  ['CarFilter', 'CarFilterRecord', 'carFilterRecord', 'carFilterRecords'],
  ['data', 'Datum', 'datum', 'data'],
  ['sheep', 'Sheep', 'sheep', 'sheepList'],
  // `QueryRecordsConnection` is a type of the service.
  ['Query', 'QueryRecord8', 'queryRecord8', 'queryRecord8s'],
  ['Mutation', 'MutationRecord', 'mutationRecord', 'mutationRecords'],
  ['Message', 'MessageRecord', 'messageRecord', 'messageRecords'],
  ['DateTime', 'DateTimeRecord', 'dateTimeRecord', 'dateTimeRecords'],
  ['Int', 'IntRecord', 'intRecord', 'intRecords'],
  ['class', 'ClassRecord', 'classRecord', 'classRecords'],
  ['record', 'RecordRecord', 'recordRecord', 'recordRecords'],
  ['s', 'S', 's', 'sList'],
  ['toString', 'ToString', 'toString', 'toStrings'],
  ['hasOwnProperty', 'HasOwnProperty', 'hasOwnProperty', 'hasOwnProperties'],
  ['my_old_CARS', 'MyOldCar', 'myOldCar', 'myOldCars'],
  ['true', 'True', 'true', 'trues'],
  ['A', 'A', 'a', 'as'],
  [LONG, `X${LONG.slice(1)}`, LONG, `${LONG}es`],
];

describe('names of class types', () => {
  beforeAll(async () => {
    for (const [name] of CLASSES) await defineClass(name, { make: 'String' });
  });

  test.each(CLASSES)('the class %s has the type %s and working operations', async (_name, type, one, many) => {
    const plural = many.replace(/^./, (letter) => letter.toUpperCase());
    const { created } = await execute(
      `mutation ($input: ${type}Input!) { created: create${type}(input: $input) { __typename id make } }`,
      { input: { make: 'AB' } },
      apiKey,
    );
    expect(created).toEqual({ __typename: type, id: expect.any(String), make: 'AB' });
    const { id } = created;
    const found = await execute(
      `query ($id: ID!, $where: ${type}Filter, $orderBy: ${type}Order) {
        one: ${one}(id: $id) { make }
        many: ${many}(where: $where, orderBy: $orderBy) { make }
        connection: ${many}Connection(where: $where) { totalCount edges { node { make } } }
      }`,
      { id, where: { make: { eq: 'AB' } }, orderBy: { field: 'make', direction: 'ASC' } },
      apiKey,
    );
    const node = { make: 'AB' };
    expect(found).toEqual({ one: node, many: [node], connection: { totalCount: 1, edges: [{ node }] } });
    const changed = await execute(
      `mutation ($id: ID!, $set: ${type}Changes, $inputs: [${type}Input!]!) {
        update${type}(id: $id, set: $set) { make }
        create${plural}(inputs: $inputs) { make }
        delete${plural}(ids: [$id])
      }`,
      { id, set: { make: 'CD' }, inputs: [{ make: 'EF' }] },
      apiKey,
    );
    expect(changed).toEqual({
      [`update${type}`]: { make: 'CD' },
      [`create${plural}`]: [{ make: 'EF' }],
      [`delete${plural}`]: [id],
    });
  });
});

const FIELDS: [name: string, typed: string][] = [
  ['or', 'or__'],
  ['or_', 'or_'],
  ['and', 'and_'],
  ['true', 'true_'],
  ['false', 'false_'],
  ['null', 'null_'],
  ['parentId', 'parentId_'],
  ['userId', 'userId_'],
  ['owner', 'owner_'],
  ['createdAt', 'createdAt_'],
  ['updatedAt', 'updatedAt_'],
  ['toString', 'toString_'],
  ['valueOf', 'valueOf_'],
  ['hasOwnProperty', 'hasOwnProperty_'],
  ['isPrototypeOf', 'isPrototypeOf_'],
  ['where', 'where'],
  ['type', 'type'],
  ['name', 'name'],
  ['NAME', 'NAME'],
  ['Name', 'Name'],
  ['lat', 'lat'],
  ['eq', 'eq'],
  ['first', 'first'],
  [LONG, LONG],
];

describe('names of class fields', () => {
  beforeAll(async () => {
    const fields: FieldTypes = Object.fromEntries(FIELDS.map(([name]) => [name, 'String']));
    await defineClass('oddities', fields);
    await defineClass('lists', Object.fromEntries(FIELDS.map(([name]) => [name, '[Integer]'])));
  });

  test.each(FIELDS)(
    'the field %s is named %s in inputs, outputs, filters and orders, and unchanged elsewhere',
    async (name, typed) => {
      const value = `value of ${name}`;
      const { createOddity } = await execute(
        `mutation ($input: OddityInput!) { createOddity(input: $input) { id ${typed} } }`,
        { input: { [typed]: value } },
        apiKey,
      );
      const { id } = createOddity;
      expect(createOddity).toEqual({ id, [typed]: value });
      const { record } = await execute(
        'query ($id: ID!) { record(className: "oddities", id: $id) { fields } }',
        { id },
        apiKey,
      );
      expect(record.fields[name]).toBe(value);
      for (const where of [{ [typed]: { eq: value } }, { or: [{ [typed]: { contains: value } }] }]) {
        const { oddities } = await execute(
          `query ($where: OddityFilter) {
          oddities(where: $where, orderBy: { field: ${typed}, direction: ASC }) { id } }`,
          { where },
          apiKey,
        );
        expect(oddities).toEqual([{ id }]);
      }
      const changed = await execute(
        `mutation ($id: ID!, $set: OddityChanges) { updateOddity(id: $id, set: $set) { ${typed} } }`,
        { id, set: { [typed]: null } },
        apiKey,
      );
      expect(changed.updateOddity).toEqual({ [typed]: null });
    },
  );

  test.each(FIELDS)('the field %s is named %s in operators', async (name, typed) => {
    const { createList } = await execute('mutation { createList(input: {}) { id } }', {}, apiKey);
    const { updateList } = await execute(
      `mutation ($id: ID!, $items: ListItems, $pops: ListPops) {
        updateList(id: $id, push: $items, pop: $pops) { id ${typed} } }`,
      { id: createList.id, items: { [typed]: [1, 2] }, pops: { [typed]: -1 } },
      apiKey,
    );
    expect(updateList[typed]).toEqual([2]);
    const { lists } = await execute(
      'query ($where: ListFilter) { lists(where: $where) { id } }',
      { where: { [typed]: { eq: 2 }, id: { eq: createList.id } } },
      apiKey,
    );
    expect(lists, name).toEqual([{ id: createList.id }]);
  });

  test('built-in record fields keep their names when a class has fields of the same name', async () => {
    const parent = (await execute('mutation { createOddity(input: {}) { id } }', {}, apiKey)).createOddity;
    const { createOddity: child } = await execute(
      `mutation ($parent: ID) {
        createOddity(input: { parentId: $parent, parentId_: "mine", userId_: "mine" }) { id createdAt userId } }`,
      { parent: parent.id },
      apiKey,
    );
    const wheres = [
      { parentId: { eq: parent.id } },
      { parentId_: { eq: 'mine' }, parentId: { ne: null } },
      { userId: { eq: 0 }, userId_: { eq: 'mine' } },
      { createdAt: { gte: child.createdAt }, userId_: { eq: 'mine' } },
      { updatedAt: { lte: child.createdAt }, userId_: { eq: 'mine' } },
      { and: [{ id: { eq: child.id } }, { or: [{ userId: { eq: 0 } }, { userId: { eq: 7 } }] }] },
    ];
    for (const where of wheres) {
      const { oddities } = await execute(
        `query ($where: OddityFilter) {
          oddities(where: $where, orderBy: { field: userId, direction: DESC }) { id userId userId_ } }`,
        { where },
        apiKey,
      );
      expect(oddities, JSON.stringify(where)).toEqual([{ id: child.id, userId: 0, userId_: 'mine' }]);
    }
  });
});
