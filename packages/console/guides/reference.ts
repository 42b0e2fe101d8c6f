import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  print,
} from 'graphql';
import { cardLinks } from '../../../src/server/pages/cards.ts';
import type { NavigationEntry } from '../../../src/server/pages/guide-navigation.ts';
import type { BuiltGuides } from '../../../src/server/pages/guides.ts';
import { anchorOf, pathToGuides, REFERENCE, read, SCHEMA } from './documents.ts';
import { article, type Heading, heading, markdown } from './markdown.ts';

type Page = Omit<BuiltGuides['pages'][number], 'file'> & { body: string };
type Field = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue;
type Value = GraphQLArgument | GraphQLInputField;

const schema = buildSchema(read(SCHEMA));

const OPERATIONS: Record<string, string> = { Query: 'Queries', Mutation: 'Mutations', Subscription: 'Subscriptions' };
const KINDS: { title: string; includes: (type: GraphQLNamedType) => boolean }[] = [
  { title: 'Objects', includes: (type) => isObjectType(type) && !(type.name in OPERATIONS) },
  { title: 'Interfaces', includes: isInterfaceType },
  { title: 'Inputs', includes: isInputObjectType },
  { title: 'Enums', includes: isEnumType },
  { title: 'Scalars', includes: isScalarType },
];

const types = Object.values(schema.getTypeMap())
  .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
  .sort((one, other) => (one.name < other.name ? -1 : 1));
const names = new Set(types.map(({ name }) => name));
const uses = usesByType();

export const referenceSections: NavigationEntry[] = [
  ...Object.entries(OPERATIONS).map(([name, title]) => ({ address: `${REFERENCE}/${name}`, title, children: [] })),
  ...KINDS.map(({ title }) => ({ address: addressOfKind(title), title, children: [] })),
];

function addressOfKind(title: string): string {
  return `${REFERENCE}#${anchorOf(title)}`;
}

/** A page of the whole schema, and one of each type. */
export function referencePages(): Page[] {
  return [overview(), ...types.map(pageOf)];
}

function overview(): Page {
  const fieldsOfRoot = (name: string) => Object.keys(fieldsOf(schema.getType(name)!));
  const sections = [
    ...Object.entries(OPERATIONS).map(([name, title]) => ({
      title,
      body: listOf(fieldsOfRoot(name).map((field) => linkTo(REFERENCE, name, field))),
    })),
    ...KINDS.map(({ title, includes }) => ({
      title,
      body: listOf(types.filter(includes).map(({ name }) => linkTo(REFERENCE, name))),
    })),
    { title: 'Errors', body: described(schema, REFERENCE) },
  ];
  const guides = pathToGuides(REFERENCE);
  const lead = `<p class="lead">Every operation and type, with its description.</p>\n${cardLinks([
    { href: '../graphql', name: 'Explorer', text: 'Write and run operations, with completion' },
    { href: `${guides}/web-app`, name: 'TypeScript client', text: 'A page with typed operations and live events' },
    { href: `${guides}/records#names-in-graphql`, name: 'Types of your records', text: 'Each class adds its own' },
    { href: `${guides}/project/${SCHEMA}`, name: 'Text of the schema', text: 'For generators and other tools' },
  ])}\n`;
  const body = sections.map((section) => heading('h2', anchorOf(section.title), section.title) + section.body);
  const contents = sections.map(({ title }): Heading => ({ level: 2, id: anchorOf(title), text: title }));
  const title = 'GraphQL reference';
  return { address: REFERENCE, title, body: article(`<h1>${title}</h1>\n${lead}${body.join('')}`, contents) };
}

function pageOf(type: GraphQLNamedType): Page {
  const address = `${REFERENCE}/${type.name}`;
  const kind = KINDS.find(({ includes }) => includes(type));
  const guides = pathToGuides(address);
  const section = kind ? addressOfKind(kind.title) : address;
  const path = kind ? `<a href="${guides}/${section}">${kind.title}</a>` : '';
  const fields = Object.values(fieldsOf(type));
  const fieldsTitle = isEnumType(type) ? 'Values' : kind ? 'Fields' : OPERATIONS[type.name]!;
  const users = (uses.get(type.name) ?? []).map(([name, field]) => linkTo(address, name, field, `${name}.${field}`));
  const parts = [
    `<p class="path"><a href="${guides}/${REFERENCE}">GraphQL</a>${path && ' / '}${path}</p>`,
    `<h1>${type.name}</h1>`,
    described(type, address),
    ...(fields.length > 0 ? [heading('h2', 'all-fields', fieldsTitle)] : []),
    ...fields.map((field) => member(field, address)),
    ...(users.length > 0 ? [heading('h2', 'used-by', 'Used by'), listOf(users)] : []),
  ];
  const contents = fields.map(({ name }): Heading => ({ level: 3, id: name, text: name }));
  if (fields.length > 0) contents.unshift({ level: 2, id: 'all-fields', text: fieldsTitle });
  if (users.length > 0) contents.push({ level: 2, id: 'used-by', text: 'Used by' });
  return { address, title: type.name, section, body: article(parts.join('\n'), contents) };
}

/** A field, input field or value. */
function member(field: Field, address: string): string {
  const type = 'type' in field ? `<span class="type">${typeOf(field, address)}</span>` : '';
  const args = 'args' in field ? field.args : [];
  const items = args.map(
    (arg) =>
      `<dt><code>${arg.name}</code> <span class="type">${typeOf(arg, address)}</span></dt><dd>${described(arg, address)}</dd>`,
  );
  const reason = field.deprecationReason;
  return [
    heading('h3', field.name, field.name, `<code>${field.name}</code>${type}`),
    ...(reason ? [`<div class="deprecated">${markdown.render(`**Deprecated.** ${reason}`)}</div>`] : []),
    described(field, address),
    ...(items.length > 0 ? [`<dl>${items.join('')}</dl>`] : []),
  ].join('\n');
}

/** `[User!]! = []`, with a link to the type. */
function typeOf(value: Value | GraphQLField<unknown, unknown>, address: string): string {
  const { name } = getNamedType(value.type);
  const text = String(value.type).replace(name, () => linkTo(address, name));
  const initial = value.astNode && 'defaultValue' in value.astNode ? value.astNode.defaultValue : undefined;
  return `<code>${text}${initial ? ` = ${markdown.utils.escapeHtml(print(initial))}` : ''}</code>`;
}

/** Names of types in its code become links. */
function described({ description }: { description?: string | null | undefined }, address: string): string {
  return markdown
    .render(description ?? '')
    .replaceAll(/<code>(\w+)<\/code>/g, (code, name: string) =>
      names.has(name) ? linkTo(address, name, undefined, code) : code,
    );
}

function linkTo(from: string, type: string, field?: string, text = field ?? type): string {
  if (!names.has(type)) return text;
  const anchor = field === undefined || field === type ? '' : `#${field}`;
  return `<a href="${pathToGuides(from)}/${REFERENCE}/${type}${anchor}">${text}</a>`;
}

function listOf(links: string[]): string {
  return `<ul class="names">${links.map((link) => `<li>${link}</li>`).join('')}</ul>\n`;
}

function fieldsOf(type: GraphQLNamedType): Record<string, Field> {
  if (isEnumType(type)) return Object.fromEntries(type.getValues().map((value) => [value.name, value]));
  return 'getFields' in type ? type.getFields() : {};
}

/** Fields of a type, and fields with an argument of it, by the name of the type. */
function usesByType(): Map<string, [type: string, field: string][]> {
  const found = new Map<string, [string, string][]>();
  for (const type of types) {
    for (const field of Object.values(fieldsOf(type))) {
      if (!('type' in field)) continue;
      const values = [field, ...('args' in field ? field.args : [])];
      for (const name of new Set(values.map((value) => getNamedType(value.type).name))) {
        found.set(name, [...(found.get(name) ?? []), [type.name, field.name]]);
      }
    }
  }
  return found;
}
