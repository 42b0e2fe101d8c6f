import { expect } from 'vitest';
import { rest } from '../../support/clients/rest.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import { aField, aFilter, anOrder, type Choice, type GivenFilter } from './record-choices.ts';
import { FUNCTIONS, grouped, matches, requireFitting, sorted } from './record-filters.ts';
import { formOf, shownValue } from './record-forms.ts';
import type { Scene } from './record-steps.ts';
import { type Answer, answerOf, callGraphql, graphqlFilter, graphqlName, legacyFilter } from './record-transports.ts';
import { type Asked, COMMON, type Order } from './record-words.ts';

export interface Question {
  filter: GivenFilter | undefined;
  order: Order | undefined;
  size: number;
  groupedBy: Asked;
  calculated: { asked: Asked; calculation: (typeof FUNCTIONS)[number] }[];
}

export function aQuestion({ model, people }: Scene, choice: Choice): Question {
  const userIds = people.flatMap(({ kind, id }) => (kind === 'user' ? [id] : []));
  const numbers = model.fields.filter(({ type, isArray }) => !isArray && (type === 'Integer' || type === 'Float'));
  return {
    filter: choice.oneIn(6) ? undefined : aFilter(model, choice, userIds),
    order: anOrder(model, choice),
    size: 1 + choice.below(5),
    groupedBy: aField(model, choice),
    calculated: numbers.slice(0, 2).map((asked) => ({ asked, calculation: choice.of(FUNCTIONS) })),
  };
}

/**
 * Asserts that every caller gets the results of the model: in one page, in pages by cursor and offset, as counts and in
 * groups.
 */
export async function expectAnswers(scene: Scene, question: Question, asker: number): Promise<void> {
  const { className, model, people } = scene;
  const { filter, order, size } = question;
  const given = filter && graphqlFilter(filter, (name) => graphqlName(name, model));
  const orderBy = order && {
    field: graphqlName(order.asked.name, model),
    direction: order.isDescending ? 'DESC' : 'ASC',
  };
  const variables = { className, filter: given, orderBy };
  const expected = people.map((actor) =>
    answerOf(() => {
      if (filter) requireFitting(filter);
      const records = model.readable(actor).filter((record) => !filter || matches(record, filter));
      return { ids: sorted(records, order).map(({ id }) => id), records };
    }),
  );
  const idsOf = (nth: number) => {
    const answer = expected[nth]!;
    return 'value' in answer ? { value: { ids: answer.value.ids, total: answer.value.ids.length } } : answer;
  };
  for (const [nth, { caller, kind, id }] of people.entries()) {
    const answer = await callGraphql(caller, LIST, { ...variables, first: 100 }, readPage);
    const isPlain = 'value' in answer ? { value: { ids: answer.value.ids, total: answer.value.total } } : answer;
    expect([kind, id, variables, isPlain]).toEqual([kind, id, variables, idsOf(nth)]);
  }
  const nth = asker % people.length;
  const { caller } = people[nth]!;
  const answer = expected[nth]!;
  if (!('value' in answer)) return;
  const { ids, records } = answer.value;
  expect([variables, await allPages(caller, variables, size, 'first')]).toEqual([variables, ids]);
  expect([variables, await allPages(caller, variables, size, 'last')]).toEqual([variables, ids]);
  await expectLegacy(scene, question, caller, ids);
  await expectGroups(scene, question, caller, records);
}

const LIST = `query ($className: String!, $filter: JSON, $orderBy: RecordOrder, $first: Int, $after: String, $last: Int,
  $before: String) {
  answer: records(className: $className, filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last,
    before: $before) {
    totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { node { id } }
  }
}`;

interface Page {
  totalCount: number;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  edges: { node: { id: string } }[];
}

const readPage = ({ totalCount, pageInfo, edges }: Page) => ({
  total: totalCount,
  ids: edges.map(({ node }) => node.id),
  ...pageInfo,
});

async function allPages(
  caller: Caller,
  variables: Record<string, unknown>,
  size: number,
  from: 'first' | 'last',
): Promise<string[]> {
  const ids: string[] = [];
  const isForward = from === 'first';
  for (let place: Record<string, unknown> = {}; ; ) {
    const page = await callGraphql(caller, LIST, { ...variables, [from]: size, ...place }, readPage);
    if (!('value' in page)) throw new Error(`a page was refused: ${page.refused}`);
    const { ids: found, hasNextPage, hasPreviousPage, startCursor, endCursor } = page.value;
    if (isForward) ids.push(...found);
    else ids.unshift(...found);
    if (!(isForward ? hasNextPage : hasPreviousPage)) return ids;
    place = isForward ? { after: endCursor } : { before: startCursor };
  }
}

/** The same over REST by offset, if a query can express it. */
async function expectLegacy(
  { className }: Scene,
  { filter, order, size }: Question,
  caller: Caller,
  ids: string[],
): Promise<void> {
  const criteria = filter ? legacyFilter(filter) : {};
  const query = criteria && (Object.keys(criteria).length === 0 ? '' : formOf(criteria as never));
  if (query === undefined) return;
  const sorting = order ? `&sort_${order.isDescending ? 'desc' : 'asc'}=${order.asked.name}` : '';
  const path = `/data/${className}?${query}${sorting}`;
  const listed = async (more: string) => {
    const { status, text, body } = await rest('GET', path + more, { as: caller });
    if (status !== 200) throw new Error(`${path}${more}: ${status} ${text}`);
    return body.items;
  };
  const skip = Math.floor(ids.length / 2);
  const found = async (more: string) => (await listed(more)).map(({ _id }: { _id: string }) => _id);
  expect([path, await found('')]).toEqual([path, ids]);
  expect([path, await found(`&skip=${skip}&limit=${size}`)]).toEqual([path, ids.slice(skip, skip + size)]);
  expect([path, await found('&limit=-1')]).toEqual([path, ids.slice(-1)]);
  expect([path, await listed('&count=1')]).toEqual([path, { count: ids.length }]);
}

const GROUPS = `query ($className: String!, $filter: JSON, $by: String!, $calculations: [RecordCalculationInput!]!) {
  answer: recordPage(className: $className, criteria: $filter) {
    groups(by: $by, calculations: $calculations) { value count results }
  }
}`;

async function expectGroups(
  { className, model }: Scene,
  { filter, groupedBy, calculated }: Question,
  caller: Caller,
  records: Parameters<typeof grouped>[0],
): Promise<void> {
  const { type, isArray, name } = groupedBy;
  const calculations = calculated.map(({ asked, calculation }) => ({
    field: asked.name,
    function: calculation.toUpperCase(),
  }));
  const by = graphqlName(name, model);
  const answer: Answer<{ value: unknown; count: number; results: (number | null)[] }[]> = await callGraphql(
    caller,
    GROUPS,
    { className, filter: filter && graphqlFilter(filter, (contracts) => contracts), by, calculations },
    ({ groups }) => groups,
  );
  if (!('value' in answer)) throw new Error(`groups by ${name} were refused: ${answer.refused}`);
  const expected = grouped(records, groupedBy, calculated).map(({ value, count, results }) => ({
    value: shownValue(type, value),
    count,
    results: results.map((result) => (result === null ? null : closeTo(result))),
  }));
  const byValue = (one: { value: unknown }, other: { value: unknown }) =>
    JSON.stringify(one.value) < JSON.stringify(other.value) ? -1 : 1;
  expect([by, answer.value.toSorted(byValue)]).toEqual([by, expected.toSorted(byValue)]);
  const values = answer.value.map(({ value }) => value);
  if (!isArray && (type === 'Integer' || type === 'Float' || COMMON.includes(groupedBy))) {
    const set = values.filter((value) => value !== null) as (number | string)[];
    expect([by, values]).toEqual([by, [...set.toSorted((a, b) => (a < b ? -1 : 1)), ...values.slice(set.length)]]);
  }
}

/** The sum of fractions depends on their order. */
function closeTo(result: number): unknown {
  const digits = 10 - Math.ceil(Math.log10(Math.abs(result) + 1e-30));
  return expect.closeTo(result, Math.max(-15, Math.min(digits, 15)));
}
