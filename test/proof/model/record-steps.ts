import { expect } from 'vitest';
import { clock } from '../../support/app/app.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';
import type { Args, Body, Call } from '../../support/operations/operation.ts';
import { ask, type TransportName } from './ask.ts';
import { aFilter, anId, anUpdate, type Choice, classPermissions, newRecord } from './record-choices.ts';
import type { RecordModel } from './record-model.ts';
import {
  type Answer,
  answerOf,
  bodyOf,
  givenRecord,
  givenUpdate,
  graphqlFilter,
  graphqlName,
  legacyFilter,
  permissionsInput,
  RECORD,
  refused,
  type Shown,
  shownBy,
} from './record-transports.ts';
import type { Actor, Field, Stored } from './record-words.ts';

export interface Scene {
  className: string;
  model: RecordModel;
  people: (Actor & { caller: Caller })[];
}

export interface Step {
  deed: keyof typeof DEEDS;
  transport: TransportName;
  numbers: number[];
}

interface Doing extends Scene {
  choice: Choice;
  transport: TransportName;
  actor: Actor;
  caller: Caller;
  userIds: number[];
}

export async function takeStep(scene: Scene, { deed, transport }: Step, choice: Choice): Promise<void> {
  const { model, people } = scene;
  model.now += choice.of([0, 1, 400, 1_000, 61_000]);
  clock.set(new Date(model.now));
  const writers = people.filter(({ kind }) => kind !== 'application');
  const { caller, ...actor } = choice.of(writers);
  const userIds = people.flatMap(({ kind, id }) => (kind === 'user' ? [id] : []));
  await DEEDS[deed]({ ...scene, choice, transport, actor, caller, userIds });
}

const DEEDS = {
  create,
  createMany,
  update,
  updateMany,
  updateByCriteria,
  remove,
  removeMany,
  removeByCriteria,
  retune,
};
export const DEED_NAMES = Object.keys(DEEDS) as Step['deed'][];

async function create(doing: Doing): Promise<void> {
  const { className, model, choice, userIds } = doing;
  const made = newRecord(model, choice, userIds);
  const { input, legacy } = givenRecord(model, made, choice);
  const given = { variables: { input: { className, ...input } }, ...bodyOf(legacy as never, choice) };
  const answer = await call(doing, 'post /data/:class', {}, given, RECORD);
  const id = 'value' in answer ? answer.value.id : '';
  expect(answer).toEqual(answerOf(() => shown(doing, model.create(doing.actor, [made], [id])[0]!)));
}

async function createMany(doing: Doing): Promise<void> {
  const { model, choice, actor, userIds } = doing;
  const made = Array.from({ length: 1 + choice.below(4) }, () => newRecord(model, choice, userIds));
  const given = made.map((one) => givenRecord(model, one, choice));
  const legacy = given.map((one) => one.legacy);
  const numbered = Object.fromEntries(legacy.map((one, nth) => [String(nth + 1), one]));
  const json = { record: choice.of<unknown>([numbered, legacy]) };
  const variables = { records: given.map(({ input }) => input) };
  const answer = await call(
    doing,
    'post /data/:class/multi',
    {},
    { variables, json },
    {
      rest: ({ items }) => items.map(RECORD.rest) as Shown[],
      graphql: (records: Body[]) => records.map(RECORD.graphql),
    },
  );
  const ids = 'value' in answer ? answer.value.map(({ id }) => id) : made.map(() => '');
  expect(answer).toEqual(answerOf(() => model.create(actor, made, ids).map((one) => shown(doing, one))));
}

async function update(doing: Doing): Promise<void> {
  const { model, choice, actor, userIds } = doing;
  const id = anId(model, choice);
  const change = anUpdate(model, choice, userIds);
  const { input, legacy } = givenUpdate(change, choice);
  const given = { variables: { input }, ...bodyOf(legacy as never, choice) };
  const answer = await call(doing, 'put /data/:class/:id', { id }, given, RECORD);
  expect(answer).toEqual(answerOf(() => shown(doing, model.update(actor, id, change))));
}

async function updateMany(doing: Doing): Promise<void> {
  const { model, choice, actor, userIds } = doing;
  const ids = [...new Set([anId(model, choice), anId(model, choice), anId(model, choice)])];
  const change = anUpdate(model, choice, userIds);
  const { input, legacy } = givenUpdate(change, choice);
  const json = { record: Object.fromEntries(ids.map((id, nth) => [String(nth + 1), { ...legacy, id }])) };
  const variables = { records: ids.map((id) => ({ id, changes: input })) };
  const answer = await call(
    doing,
    'put /data/:class/multi',
    {},
    { variables, json },
    {
      rest: ({ items, not_found }) => ({ found: items.map(RECORD.rest), notFound: not_found.ids }),
      graphql: ({ records, notFoundIds }) => ({ found: records.map(RECORD.graphql), notFound: notFoundIds }),
    },
  );
  const expected = answerOf(() => {
    const { found, notFound } = model.updateMany(actor, ids, change);
    return { found: found.map((one) => shown(doing, one)), notFound };
  });
  expect(answer).toEqual(expected);
}

async function updateByCriteria(doing: Doing): Promise<void> {
  const { model, choice, actor, userIds } = doing;
  const filter = aFilter(model, choice, userIds);
  const change = anUpdate(model, choice, userIds);
  const { input, legacy } = givenUpdate(change, choice);
  const search_criteria = legacyFilter(filter);
  const variables = { criteria: graphqlFilter(filter, (name) => graphqlName(name, model)), input };
  const given = { variables, json: { ...legacy, search_criteria } };
  const over = search_criteria ? doing : overGraphql(doing);
  const answer = await call(over, 'put /data/:class/by_criteria', {}, given, TOTAL);
  expect(answer).toEqual(answerOf(() => model.updateByCriteria(actor, filter, change).length));
}

async function remove(doing: Doing): Promise<void> {
  const { model, choice, actor } = doing;
  const id = anId(model, choice);
  const isKnown = model.records.some((record) => record.id === id);
  const answer = await call(doing, 'delete /data/:class/:id', { id }, {}, { rest: () => true, graphql: () => true });
  const expected = isKnown ? (model.delete(actor, [id]).deleted.length > 0 ? 'deleted' : 'forbidden') : 'not found';
  expect(expected === 'deleted' ? { value: true } : { refused: expected }).toEqual(answer);
}

async function removeMany(doing: Doing): Promise<void> {
  const { model, choice, actor } = doing;
  const ids = [...new Set([anId(model, choice), anId(model, choice)])];
  if (ids.length < 2) return;
  const answer = await call(
    doing,
    'delete /data/:class/:ids',
    { ids },
    {},
    {
      rest: ({ SuccessfullyDeleted, NotFound, WrongPermissions }) => ({
        deleted: SuccessfullyDeleted.ids as string[],
        notFound: NotFound.ids as string[],
        wrongPermissions: (WrongPermissions?.ids ?? []) as string[],
      }),
      graphql: ({ deletedIds, notFoundIds, wrongPermissionsIds }) => ({
        deleted: deletedIds,
        notFound: notFoundIds,
        wrongPermissions: wrongPermissionsIds,
      }),
    },
  );
  expect(answer).toEqual(answerOf(() => model.delete(actor, ids)));
}

async function removeByCriteria(doing: Doing): Promise<void> {
  const { model, choice, actor, userIds } = doing;
  // Most criteria match most records, which would leave none.
  const filter = {
    all: [aFilter(model, choice, userIds), aFilter(model, choice, userIds), aFilter(model, choice, userIds)],
  };
  const variables = { criteria: graphqlFilter(filter, (name) => graphqlName(name, model)) };
  const answer = await call(overGraphql(doing), 'delete /data/:class/by_criteria', {}, { variables }, TOTAL);
  expect(answer).toEqual(answerOf(() => model.deleteByCriteria(actor, filter)));
}

/** REST cannot express every filter. */
function overGraphql(doing: Doing): Doing {
  return { ...doing, transport: doing.transport === 'REST' ? 'GraphQL' : doing.transport };
}

const TOTAL = {
  rest: ({ total_found }: Body) => total_found as number,
  graphql: ({ totalFound, totalDeleted }: Body) => (totalFound ?? totalDeleted) as number,
};

async function call<Value>(
  { transport, className, caller }: Doing,
  name: string,
  args: Args,
  given: Partial<Call>,
  read: { rest: (body: Body) => Value; graphql: (data: Body) => Value },
): Promise<Answer<Value>> {
  const answer = await ask(transport, name, { className, ...args }, caller, given);
  if (!('served' in answer)) return refused(answer, name);
  return { value: transport === 'REST' ? read.rest(answer.served) : read.graphql(answer.data) };
}

function shown({ transport, model }: Doing, record: Stored): Shown {
  return shownBy(transport, model.fields, record);
}

/** Changes permissions of the class, and whether a field is required or unique. */
async function retune({ className, model, choice, userIds }: Doing): Promise<void> {
  const permissions = classPermissions(choice, userIds);
  const field = choice.of(model.fields);
  const isRequired = choice.oneIn(3);
  const canBeUnique = !field.isArray && field.type !== 'Location';
  const isUnique = canBeUnique && choice.oneIn(2);
  const input = {
    permissions: permissionsInput(permissions),
    fields: [{ ...fieldInput(field), required: isRequired, unique: isUnique }],
  };
  const { errors } = await graphql(UPDATE_CLASS, { name: className, input }, apiKey);
  const expected = answerOf(() => (isUnique ? model.makeUnique(field) : undefined));
  expect(errors === undefined ? 'changed' : errors[0]!.message).toEqual(
    'refused' in expected ? `Field ${field.name} has values that are not unique` : 'changed',
  );
  if (errors) return;
  Object.assign(model.permissions, permissions);
  Object.assign(field, { isRequired, isUnique });
}

export const UPDATE_CLASS = `mutation ($name: String!, $input: UpdateClassInput!) {
  updateClass(name: $name, input: $input) { id } }`;

export function fieldInput({ name, type, isArray }: Field) {
  return { name, type: type.toUpperCase(), array: isArray };
}

/** Toggles the index of every field and all compound indexes; lists also run while indexes are built. */
export async function switchIndexes({ className, model }: Scene): Promise<void> {
  for (const field of model.fields) field.isIndexed = !field.isIndexed;
  const fields = model.fields.map((field) => ({ ...fieldInput(field), index: field.isIndexed }));
  const input = { fields, indexes: compoundIndexes(model.fields) };
  await execute(UPDATE_CLASS, { name: className, input }, apiKey);
}

/** Of adjacent fields, in both orders, if the first one is indexed. */
export function compoundIndexes(fields: Field[]): { fields: string[] }[] {
  const names = fields.filter(({ type, isArray }) => !isArray && type !== 'Location').map(({ name }) => name);
  if (!fields[0]!.isIndexed) return [];
  const pairs = names.slice(1).map((name, place) => [names[place]!, name]);
  return pairs
    .flatMap((pair) => [pair, pair.toReversed()])
    .slice(0, 8)
    .map((pair) => ({ fields: pair }));
}

export async function indexesSettled({ className }: Scene): Promise<void> {
  const query = 'query ($name: String!) { class(name: $name) { fields { index } indexes { state } } }';
  await until(async () => {
    const { class: known } = await execute(query, { name: className }, apiKey);
    const states = [
      ...known.fields.map(({ index }: { index: string }) => index),
      ...known.indexes.map(({ state }: { state: string }) => state),
    ];
    return states.every((state) => state === 'READY' || state === 'NONE');
  });
}
