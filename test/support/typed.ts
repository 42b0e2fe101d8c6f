import { ask } from './chat.ts';
import { apiKey, type Caller } from './users.ts';

/** `make: String`, `tags: [String]`, `make: String!` for one that is required, as GraphQL writes types. */
export type FieldTypes = Record<string, string>;

/** One of every type, and a list of every type that has lists. */
export const CAR_FIELDS = {
  make: 'String!',
  year: 'Integer',
  price: 'Float',
  sold: 'Boolean',
  built: 'Date',
  place: 'Location',
  motor: 'File',
  tags: '[String]',
  sizes: '[Integer]',
  rates: '[Float]',
  flags: '[Boolean]',
  dates: '[Date]',
  places: '[Location]',
} satisfies FieldTypes;

const CREATE_CLASS = `mutation ($input: CreateClassInput!) { createClass(input: $input) { id name } }`;
const UPDATE_CLASS = `mutation ($name: String!, $input: UpdateClassInput!) { updateClass(name: $name, input: $input) { id } }`;

/** Defines a class of the sample application, or of the key's. */
export async function defineClass(
  name: string,
  fields: FieldTypes = {},
  { as = apiKey, permissions }: { as?: Caller; permissions?: object } = {},
): Promise<void> {
  await ask(CREATE_CLASS, { input: { name, fields: fieldInputs(fields), permissions } }, as);
}

/** Adds fields, or changes permissions. */
export async function changeClass(
  name: string,
  { fields, permissions }: { fields?: FieldTypes; permissions?: object },
  as: Caller = apiKey,
): Promise<void> {
  await ask(UPDATE_CLASS, { name, input: { fields: fields && fieldInputs(fields), permissions } }, as);
}

export async function dropClass(name: string, as: Caller = apiKey): Promise<void> {
  await ask('mutation ($name: String!) { deleteClass(name: $name) }', { name }, as);
}

function fieldInputs(fields: FieldTypes) {
  return Object.entries(fields).map(([name, type]) => ({
    name,
    type: type.replace(/[[\]!]/g, '').toUpperCase(),
    array: type.startsWith('['),
    required: type.endsWith('!'),
  }));
}
