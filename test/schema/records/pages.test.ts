import { expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const CREATE_CLASS = `mutation ($name: String!, $type: RecordFieldType!, $index: Boolean!) {
  createClass(input: { name: $name, fields: [{ name: "value", type: $type, index: $index }] }) { id } }`;
const CREATE = `mutation ($className: String!, $fields: JSON!) {
  createRecord(input: { className: $className, fields: $fields }) { id } }`;
const PAGE = `query ($className: String!, $direction: SortDirection!, $first: Int, $after: String, $last: Int,
  $before: String) {
  records(className: $className, orderBy: { field: "value", direction: $direction }, first: $first, after: $after,
    last: $last, before: $before) {
    edges { cursor node { id } }
  }
}`;

const CLASSES = ['INTEGER', 'STRING'].flatMap((type) => [true, false].map((index) => [type, index] as const));

test.each(CLASSES)(
  'paging returns every record, including unset values, sorted by %s, indexed: %s',
  async (type, index) => {
    const className = `Of${type}${index}`;
    await execute(CREATE_CLASS, { name: className, type, index }, apiKey);
    for (const value of [2, null, 1, null, null]) await execute(CREATE, { className, fields: { value } }, apiKey);
    for (const direction of ['ASC', 'DESC']) {
      const page = async (more: object) =>
        (await execute(PAGE, { className, direction, ...more }, apiKey)).records.edges;
      const all = await page({ first: 100 });
      expect(all).toHaveLength(5);
      for (const [place, { cursor }] of all.entries()) {
        expect(await page({ first: 100, after: cursor })).toEqual(all.slice(place + 1));
        expect(await page({ last: 100, before: cursor })).toEqual(all.slice(0, place));
        expect(await page({ last: 1, before: cursor })).toEqual(all.slice(0, place).slice(-1));
      }
    }
  },
);

const SELECTIONS: [selection: string, isShown: boolean, end?: string][] = [
  ['permissions', true],
  ['shown: permissions', true],
  ['...Shown', true],
  ['... on Record @include(if: $yes) { permissions', true, '}'],
  ['permissions @skip(if: $yes)', false],
  ['permissions @skip(if: $no)', true],
  ['...Shown @include(if: $no)', false],
];

test.each(SELECTIONS)('a page by offset has permissions for the selection %s', async (selection, isShown, end = '') => {
  const className = `Of${SELECTIONS.findIndex(([text]) => text === selection)}`;
  await execute(CREATE_CLASS, { name: className, type: 'STRING', index: false }, apiKey);
  await execute(CREATE, { className, fields: { value: 'x' } }, apiKey);
  const access = '{ read { access } update { access } delete { access } }';
  const fragment = `fragment Shown on Record { permissions ${access} }`;
  const items = selection.startsWith('...Shown') ? selection : `${selection} ${access} ${end}`;
  const page = `query ($className: String!, $yes: Boolean = true, $no: Boolean = false) {
    recordPage(className: $className) { items { id ${items} unused: id @include(if: $yes) @skip(if: $no) } }
  } ${selection.startsWith('...Shown') ? fragment : ''}`;
  const [item] = (await execute(page, { className }, apiKey)).recordPage.items;
  const permissions = { read: { access: 'OPEN' }, update: { access: 'OWNER' }, delete: { access: 'OWNER' } };
  expect(item.permissions ?? item.shown).toEqual(isShown ? permissions : undefined);
});
