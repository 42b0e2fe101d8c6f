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
