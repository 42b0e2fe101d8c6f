import { expect } from 'vitest';
import { clock } from '../../support/app/app.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';
import { aFilter, anId, anUpdate, type Choice, classPermissions, newRecord } from './record-choices.ts';
import type { RecordModel } from './record-model.ts';
import {
  type Answer,
  answerOf,
  bodyOf,
  callGraphql,
  callRest,
  givenRecord,
  givenUpdate,
  graphqlFilter,
  graphqlName,
  legacyFilter,
  ofGraphql,
  ofRest,
  permissionsInput,
  RECORD,
  type Shown,
  shownBy,
  type TransportName,
} from './record-transports.ts';
import type { Actor, Field } from './record-words.ts';

export interface Scene {
  className: string;
  model: RecordModel;
  people: (Actor & { caller: Caller })[];
}

export interface Step {
  deed: keyof typeof DEEDS;
  overRest: boolean;
  numbers: number[];
}

interface Doing extends Scene {
  choice: Choice;
  transport: TransportName;
  actor: Actor;
  caller: Caller;
  userIds: number[];
}

export async function takeStep(scene: Scene, { deed, overRest }: Step, choice: Choice): Promise<void> {
  const { model, people } = scene;
  model.now += choice.of([0, 1, 400, 1_000, 61_000]);
  clock.set(new Date(model.now));
  const writers = people.filter(({ kind }) => kind !== 'application');
  const { caller, ...actor } = choice.of(writers);
  const userIds = people.flatMap(({ kind, id }) => (kind === 'user' ? [id] : []));
  await DEEDS[deed]({ ...scene, choice, transport: overRest ? 'rest' : 'graphql', actor, caller, userIds });
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
  const { className, model, choice, transport, actor, caller, userIds } = doing;
  const made = newRecord(model, choice, userIds);
  const { input, legacy } = givenRecord(model, made, choice);
  const answer =
    transport === 'rest'
      ? await callRest(caller, 'POST', `/data/${className}`, bodyOf(legacy as never, choice), ofRest)
      : await callGraphql(
          caller,
          `mutation ($input: CreateRecordInput!) { answer: createRecord(input: $input) { ${RECORD} } }`,
          { input: { className, ...input } },
          ofGraphql,
        );
  const id = 'value' in answer ? answer.value.id : '';
  expectSame(doing, answer, () => shownBy(transport, model.fields, model.create(actor, [made], [id])[0]!));
}

async function createMany(doing: Doing): Promise<void> {
  const { className, model, choice, transport, actor, caller, userIds } = doing;
  const made = Array.from({ length: 1 + choice.below(4) }, () => newRecord(model, choice, userIds));
  const given = made.map((one) => givenRecord(model, one, choice));
  const numbered = Object.fromEntries(given.map(({ legacy }, nth) => [String(nth + 1), legacy]));
  const record = choice.of<unknown>([numbered, given.map(({ legacy }) => legacy)]);
  const answer =
    transport === 'rest'
      ? await callRest(caller, 'POST', `/data/${className}/multi`, { json: { record } }, ({ items }) =>
          items.map(ofRest),
        )
      : await callGraphql(
          caller,
          `mutation ($className: String!, $records: [NewRecordInput!]!) {
            answer: createRecords(className: $className, records: $records) { ${RECORD} } }`,
          { className, records: given.map(({ input }) => input) },
          (records) => records.map(ofGraphql),
        );
  const ids = 'value' in answer ? answer.value.map(({ id }: Shown) => id) : made.map(() => '');
  expectSame(doing, answer, () => model.create(actor, made, ids).map((one) => shownBy(transport, model.fields, one)));
}

async function update(doing: Doing): Promise<void> {
  const { className, model, choice, transport, actor, caller, userIds } = doing;
  const id = anId(model, choice);
  const change = anUpdate(model, choice, userIds);
  const { input, legacy } = givenUpdate(change, choice);
  const answer =
    transport === 'rest'
      ? await callRest(caller, 'PUT', `/data/${className}/${id}`, bodyOf(legacy as never, choice), ofRest)
      : await callGraphql(
          caller,
          `mutation ($className: String!, $id: ID!, $input: UpdateRecordInput!) {
            answer: updateRecord(className: $className, id: $id, input: $input) { ${RECORD} } }`,
          { className, id, input },
          ofGraphql,
        );
  expectSame(doing, answer, () => shownBy(transport, model.fields, model.update(actor, id, change)));
}

async function updateMany(doing: Doing): Promise<void> {
  const { className, model, choice, transport, actor, caller, userIds } = doing;
  const ids = [...new Set([anId(model, choice), anId(model, choice), anId(model, choice)])];
  const change = anUpdate(model, choice, userIds);
  const { input, legacy } = givenUpdate(change, choice);
  const record = Object.fromEntries(ids.map((id, nth) => [String(nth + 1), { ...legacy, id }]));
  const answer =
    transport === 'rest'
      ? await callRest(caller, 'PUT', `/data/${className}/multi`, { json: { record } }, ({ items, not_found }) => ({
          found: items.map(ofRest),
          notFound: not_found.ids,
        }))
      : await callGraphql(
          caller,
          `mutation ($className: String!, $records: [ChangedRecordInput!]!) {
            answer: updateRecords(className: $className, records: $records) { records { ${RECORD} } notFoundIds } }`,
          { className, records: ids.map((id) => ({ id, changes: input })) },
          ({ records, notFoundIds }) => ({ found: records.map(ofGraphql), notFound: notFoundIds }),
        );
  expectSame(doing, answer, () => {
    const { found, notFound } = model.updateMany(actor, ids, change);
    return { found: found.map((one) => shownBy(transport, model.fields, one)), notFound };
  });
}

async function updateByCriteria(doing: Doing): Promise<void> {
  const { className, model, choice, transport, actor, caller, userIds } = doing;
  const filter = aFilter(model, choice, userIds);
  const change = anUpdate(model, choice, userIds);
  const { input, legacy } = givenUpdate(change, choice);
  const criteria = legacyFilter(filter);
  const answer =
    transport === 'rest' && criteria
      ? await callRest(
          caller,
          'PUT',
          `/data/${className}/by_criteria`,
          { json: { ...legacy, search_criteria: criteria } },
          ({ total_found }) => total_found,
        )
      : await callGraphql(
          caller,
          `mutation ($className: String!, $criteria: JSON, $input: UpdateRecordInput!) {
            answer: updateRecordsByCriteria(className: $className, criteria: $criteria, input: $input) { totalFound } }`,
          { className, criteria: graphqlFilter(filter, (name) => graphqlName(name, model)), input },
          ({ totalFound }) => totalFound,
        );
  expectSame(doing, answer, () => model.updateByCriteria(actor, filter, change).length);
}

async function remove(doing: Doing): Promise<void> {
  const { className, model, choice, transport, actor, caller } = doing;
  const id = anId(model, choice);
  const isKnown = model.records.some((record) => record.id === id);
  const answer =
    transport === 'rest'
      ? await callRest(caller, 'DELETE', `/data/${className}/${id}`, {}, () => true)
      : await callGraphql(
          caller,
          'mutation ($className: String!, $id: ID!) { answer: deleteRecord(className: $className, id: $id) }',
          { className, id },
          () => true,
        );
  const expected = isKnown ? (model.delete(actor, [id]).deleted.length > 0 ? 'deleted' : 'forbidden') : 'not found';
  expect(expected === 'deleted' ? { value: true } : { refused: expected }).toEqual(answer);
}

async function removeMany(doing: Doing): Promise<void> {
  const { className, model, choice, transport, actor, caller } = doing;
  const ids = [...new Set([anId(model, choice), anId(model, choice)])];
  if (ids.length < 2) return;
  const answer =
    transport === 'rest'
      ? await callRest(caller, 'DELETE', `/data/${className}/${ids}`, {}, (body) => ({
          deleted: body.SuccessfullyDeleted.ids,
          notFound: body.NotFound.ids,
          wrongPermissions: body.WrongPermissions?.ids ?? [],
        }))
      : await callGraphql(
          caller,
          `mutation ($className: String!, $ids: [ID!]!) { answer: deleteRecords(className: $className, ids: $ids) {
            deleted: deletedIds notFound: notFoundIds wrongPermissions: wrongPermissionsIds } }`,
          { className, ids },
          (deleted) => deleted,
        );
  expectSame(doing, answer, () => model.delete(actor, ids));
}

async function removeByCriteria(doing: Doing): Promise<void> {
  const { className, model, choice, actor, caller, userIds } = doing;
  // Most criteria match most records, which would leave none.
  const filter = {
    all: [aFilter(model, choice, userIds), aFilter(model, choice, userIds), aFilter(model, choice, userIds)],
  };
  const answer = await callGraphql(
    caller,
    `mutation ($className: String!, $criteria: JSON) {
      answer: deleteRecordsByCriteria(className: $className, criteria: $criteria) { totalDeleted } }`,
    { className, criteria: graphqlFilter(filter, (name) => graphqlName(name, model)) },
    ({ totalDeleted }) => totalDeleted,
  );
  expectSame(doing, answer, () => model.deleteByCriteria(actor, filter));
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

function expectSame(_doing: Doing, answer: Answer<unknown>, expected: () => unknown): void {
  expect(answer).toEqual(answerOf(expected));
}
