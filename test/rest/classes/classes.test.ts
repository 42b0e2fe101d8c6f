import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { createRecordCast, type RecordCast, SOME_ID } from '../../support/fixtures/cars.ts';
import { MALFORMED, NOT_FOUND, UNDEFINED_CLASS } from '../../support/fixtures/error-bodies.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
});

const refused = (...sentences: string[]) => ({ errors: sentences });
const OPEN = { access: 'open' };
const OWNER = { access: 'owner' };
const DEFAULTS = { create: { ...OPEN, primary: true }, read: OPEN, update: OWNER, delete: OWNER };

function shown(name: string, fields: object[] = [], acl: object = {}) {
  return {
    _id: SOME_ID,
    name,
    application_id: APPLICATION.id,
    user_id: 0,
    acl: { ...DEFAULTS, ...acl },
    custom_fields: fields,
  };
}

const BAD_NAMES = [
  ...['', ' ', '1a', '_a', 'a-b', 'a b', 'é', 'a.b', "a'", 'a"', 'a->>b', 'a;--', 'a\n', `A${'b'.repeat(50)}`],
  ...['file', 'permissions', 'created_at', 'updated_at', 'user_id', 'class_name', 'id', 'limit', 'skip', 'sort_asc'],
  ...['sort_desc', 'count', 'output', 'group_by'],
];

describe('POST /class', () => {
  test('the response has the member order of the contract', async () => {
    const json = {
      name: 'Order',
      fields: { make: 'String', year: 'Integer', tags: 'String_a' },
      permissions: { create: { access: 'open' }, update: { access: 'open_for_users_ids', ids: '1,2' } },
    };
    const { status, text, body } = await rest('POST', '/class.json', { as: apiKey, json });
    expect([status, text]).toEqual([
      201,
      `{"_id":"${body._id}","name":"Order","application_id":92,"user_id":0,"acl":{"create":{"access":"open","primary":true},` +
        '"read":{"access":"open"},"update":{"access":"open_for_users_ids","users_ids":["1","2"]},"delete":{"access":"owner"}},' +
        '"custom_fields":[{"name":"make","type":"String"},{"name":"year","type":"Integer"},' +
        '{"name":"tags","type":"String","is_array":"1"}]}',
    ]);
  });

  testScenarios(
    () => cast,
    [
      ['a name is enough', 'key', 'POST', '/class', { name: 'Bare' }, 201, shown('Bare')],
      ['the name is text', 'key', 'POST', '/class', 'name=Formed', 201, shown('Formed')],
      [
        'every type, alone and in arrays',
        'key',
        'POST',
        '/class',
        'name=Types&fields[a]=Integer&fields[b]=Float&fields[c]=String&fields[d]=Boolean&fields[e]=Date&fields[f]=Location&fields[g]=File&fields[h]=Integer_a&fields[i]=Float_a&fields[j]=String_a&fields[k]=Boolean_a&fields[l]=Date_a&fields[m]=Location_a',
        201,
        shown('Types', [
          ...['Integer', 'Float', 'String', 'Boolean', 'Date', 'Location', 'File'].map((type, index) => ({
            name: 'abcdefg'[index],
            type,
          })),
          ...['Integer', 'Float', 'String', 'Boolean', 'Date', 'Location'].map((type, index) => ({
            name: 'hijklm'[index],
            type,
            is_array: '1',
          })),
        ]),
      ],
      [
        'permissions of every kind',
        'key',
        'POST',
        '/class',
        {
          name: 'Kinds',
          permissions: {
            create: { access: 'open_for_groups', groups: 'a, b' },
            read: { access: 'open_for_users_ids', ids: ['{olga}', '{nina}', '{olga}'] },
            update: { access: 'not_allowed' },
            delete: { access: 'open' },
          },
        },
        201,
        shown('Kinds', [], {
          create: { access: 'open_for_groups', users_groups: ['a', 'b'], primary: true },
          read: { access: 'open_for_users_ids', users_ids: expect.arrayContaining([expect.stringMatching(/^\d+$/)]) },
          update: { access: 'not_allowed' },
          delete: OPEN,
        }),
      ],
      [
        'permissions under dotted keys',
        'key',
        'POST',
        '/class',
        'name=Dotted&permissions.create.access=owner&permissions.read.access=open_for_users_ids&permissions.read.ids=1,2&permissions.delete.access=open_for_groups&permissions.delete.groups=x',
        201,
        shown('Dotted', [], {
          create: { ...OWNER, primary: true },
          read: { access: 'open_for_users_ids', users_ids: ['1', '2'] },
          delete: { access: 'open_for_groups', users_groups: ['x'] },
        }),
      ],
      [
        'permissions as they are shown',
        'key',
        'POST',
        '/class',
        {
          name: 'Echoed',
          permissions: {
            create: { access: 'open', primary: true },
            read: { access: 'open_for_groups', users_groups: ['a', 'b'] },
            update: { access: 'open_for_users_ids', users_ids: ['1', '2'] },
          },
        },
        201,
        shown('Echoed', [], {
          read: { access: 'open_for_groups', users_groups: ['a', 'b'] },
          update: { access: 'open_for_users_ids', users_ids: ['1', '2'] },
        }),
      ],
      [
        'what the class does not know is ignored',
        'key',
        'POST',
        '/class',
        'name=Extra&x=1&user_id=5',
        201,
        shown('Extra'),
      ],
      ['the longest name', 'key', 'POST', '/class', { name: `A${'b'.repeat(49)}` }, 201, shown(`A${'b'.repeat(49)}`)],
      ['a name that is taken', 'key', 'POST', '/class', 'name=cars', 422, refused('Name has already been taken')],
      ['names are case-sensitive', 'key', 'POST', '/class', 'name=CARS', 201, shown('CARS')],
      [
        'another application has names of its own',
        'other key',
        'POST',
        '/class',
        'name=mine',
        201,
        {
          ...shown('mine'),
          application_id: expect.any(Number),
        },
      ],
      ...BAD_NAMES.flatMap((name): Scenario[] => [
        [`a class named ${JSON.stringify(name)}`, 'key', 'POST', '/class', { name }, 422, refused('Name is invalid')],
        [
          `a field named ${JSON.stringify(name)}`,
          'key',
          'POST',
          '/class',
          { name: 'Never', fields: { [name]: 'String' } },
          422,
          refused('Name is invalid'),
        ],
      ]),
      ['a class named constructor', 'key', 'POST', '/class', 'name=constructor', 422, refused('Name is invalid')],
      ['a class named __proto__', 'key', 'POST', '/class', 'name=__proto__', 422, refused('Name is invalid')],
      [
        'fields of names that no request may hold are no fields',
        'key',
        'POST',
        '/class',
        'name=Dropped&fields[constructor]=String&fields[__proto__]=String&fields[prototype]=String&fields[toString]=String',
        201,
        shown('Dropped', [{ name: 'toString', type: 'String' }]),
      ],
      ['no name', 'key', 'POST', '/class', {}, 422, refused('Name is invalid')],
      ['a name that is no text', 'key', 'POST', '/class', { name: ['a'] }, 422, refused('Name is invalid')],
      ...['Text', 'string', 'File_a', 'String_a_a', '', 'String[]', '_a', 'toString', 'constructor_a'].map(
        (type): Scenario => [
          `a field of the type ${JSON.stringify(type)}`,
          'key',
          'POST',
          '/class',
          { name: 'Never', fields: { f: type } },
          422,
          refused('Field f has an unknown type'),
        ],
      ),
      [
        'all fields that are wrong are named',
        'key',
        'POST',
        '/class',
        { name: 'Never', fields: { f: 'Text', g: 'String', h: { type: 'String' }, i: null } },
        422,
        refused('Field f has an unknown type', 'Field h has an unknown type', 'Field i has an unknown type'),
      ],
      [
        'an unknown access',
        'key',
        'POST',
        '/class',
        'name=Never&permissions[read][access]=all',
        422,
        refused('Unknown access: all'),
      ],
      ['no access', 'key', 'POST', '/class', 'name=Never&permissions[read][ids]=1', 422, refused('Unknown access: ')],
      [
        'users that are not named',
        'key',
        'POST',
        '/class',
        'name=Never&permissions.read.access=open_for_users_ids',
        422,
        refused('Field ids should be an array'),
      ],
      [
        'users that are no ids',
        'key',
        'POST',
        '/class',
        'name=Never&permissions.read.access=open_for_users_ids&permissions.read.ids=a,b',
        422,
        refused('Field ids should be an array'),
      ],
      [
        'groups that are not named',
        'key',
        'POST',
        '/class',
        'name=Never&permissions.read.access=open_for_groups',
        422,
        refused('Field groups should be an array'),
      ],
      ['no JSON', 'key', 'POST', '/class', '{', 400, MALFORMED, { 'Content-Type': 'application/json' }],
      ['rejected requests create no class', 'key', 'GET', '/class/Never', undefined, 403, UNDEFINED_CLASS],
    ],
  );
});

describe('GET /class', () => {
  testScenarios(
    () => cast,
    [
      ['one', 'key', 'GET', '/class/Bare.json', undefined, 200, shown('Bare')],
      ['an unknown one', 'key', 'GET', '/class/bare', undefined, 403, UNDEFINED_CLASS],
      ['one of another application', 'key', 'GET', '/class/mine', undefined, 403, UNDEFINED_CLASS],
      ['an invalid name', 'key', 'GET', '/class/%00%27%3B--', undefined, 403, UNDEFINED_CLASS],
      ['a name that every object has', 'key', 'GET', '/class/__proto__', undefined, 403, UNDEFINED_CLASS],
      ['no class of that path', 'key', 'GET', '/class/Bare/x', undefined, 404, NOT_FOUND],
    ],
  );

  test('GET /class lists all classes by name', async () => {
    const { status, body } = await rest('GET', '/class.json', { as: apiKey });
    const names = body.items.map(({ name }: { name: string }) => name);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['items']);
    expect(names).toEqual([...names].sort());
    expect(names).toContain('cars');
    expect(names).not.toContain('mine');
    expect(body.items[names.indexOf('Bare')]).toEqual(shown('Bare'));
  });
});
