// Writes the types of a GraphQL schema for `graphql()`. Used by the build and by `atrium-types`.

export interface TypeRef {
  kind: string;
  name?: string | null;
  ofType?: TypeRef | null;
}

interface Input {
  name: string;
  type: TypeRef;
  defaultValue?: string | null;
}

interface Field {
  name: string;
  type: TypeRef;
  args: readonly Input[];
}

interface Type {
  kind: string;
  name: string;
  fields?: readonly Field[] | null;
  inputFields?: readonly Input[] | null;
  enumValues?: readonly { name: string }[] | null;
  possibleTypes?: readonly { name?: string | null }[] | null;
}

/** The part of an introspection result that the types need. */
export interface IntrospectedSchema {
  queryType: { name: string };
  mutationType?: { name: string } | null;
  subscriptionType?: { name: string } | null;
  types: readonly Type[];
}

/** Without descriptions, with the arguments of fields. */
export const SCHEMA_QUERY = `{ __schema {
  queryType { name } mutationType { name } subscriptionType { name }
  types {
    kind name enumValues { name } possibleTypes { name }
    fields { name args { ...Input } type { ...Ref } }
    inputFields { ...Input }
  }
} }
fragment Input on __InputValue { name defaultValue type { ...Ref } }
fragment Ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }`;

const HEAD = `// Generated from the GraphQL schema; do not edit.
type Named<Kind, Name> = { kind: Kind; name: Name; ofType: null };
type Scalar<Name> = Named<'SCALAR', Name>;
type Enum<Name> = Named<'ENUM', Name>;
type Object<Name> = Named<'OBJECT', Name>;
type Interface<Name> = Named<'INTERFACE', Name>;
type Union<Name> = Named<'UNION', Name>;
type Input<Name> = Named<'INPUT_OBJECT', Name>;
type List<Of> = { kind: 'LIST'; name: never; ofType: Of };
type Some<Of> = { kind: 'NON_NULL'; name: never; ofType: Of };
`;

const HELPERS: Record<string, string> = {
  SCALAR: 'Scalar',
  ENUM: 'Enum',
  OBJECT: 'Object',
  INTERFACE: 'Interface',
  UNION: 'Union',
  INPUT_OBJECT: 'Input',
};

/** @returns the text of a `.d.ts` file that exports `introspection` */
export function schemaTypes(schema: IntrospectedSchema): string {
  const types = schema.types
    .filter(({ name }) => !name.startsWith('__'))
    .map((type) => `    ${type.name}: ${typeOf(type)};\n`)
    .sort();
  const root = (type: { name: string } | null | undefined) => (type ? `'${type.name}'` : 'never');
  return `${HEAD}
export type introspection = {
  name: never;
  query: ${root(schema.queryType)};
  mutation: ${root(schema.mutationType)};
  subscription: ${root(schema.subscriptionType)};
  types: {
${types.join('')}  };
};
`;
}

function typeOf({ kind, name, fields, inputFields, enumValues, possibleTypes }: Type): string {
  const members = (possibleTypes ?? []).map((type) => `'${type.name}'`).join(' | ') || 'never';
  switch (kind) {
    case 'ENUM':
      return `{ name: '${name}'; enumValues: ${(enumValues ?? []).map((value) => `'${value.name}'`).join(' | ')} }`;
    case 'INPUT_OBJECT':
      return `{ kind: '${kind}'; name: '${name}'; isOneOf: false; inputFields: [${(inputFields ?? []).map(inputOf).join(', ')}] }`;
    case 'OBJECT':
      return `{ kind: '${kind}'; name: '${name}'; fields: ${fieldsOf(fields)} }`;
    case 'INTERFACE':
      return `{ kind: '${kind}'; name: '${name}'; fields: ${fieldsOf(fields)}; possibleTypes: ${members} }`;
    case 'UNION':
      return `{ kind: '${kind}'; name: '${name}'; fields: {}; possibleTypes: ${members} }`;
    default:
      return 'unknown';
  }
}

function fieldsOf(fields: Type['fields']): string {
  const texts = (fields ?? []).map(({ name, type, args }) => {
    const given = args.length > 0 ? `; args: [${args.map(inputOf).join(', ')}]` : '';
    return `${name}: { name: '${name}'; type: ${refOf(type)}${given} }`;
  });
  return `{ ${texts.join('; ')} }`;
}

function inputOf({ name, type, defaultValue }: Input): string {
  return `{ name: '${name}'; type: ${refOf(type)}; defaultValue: ${defaultValue == null ? 'null' : JSON.stringify(defaultValue)} }`;
}

function refOf({ kind, name, ofType }: TypeRef): string {
  if (kind === 'NON_NULL') return `Some<${refOf(ofType!)}>`;
  if (kind === 'LIST') return `List<${refOf(ofType!)}>`;
  return `${HELPERS[kind]}<'${name}'>`;
}

export const CLASSES_QUERY = `{ classes { name fields { name type array required } } }`;

interface RecordClass {
  name: string;
  fields: readonly { name: string; type: string; array: boolean; required: boolean }[];
}

const JSON_TYPES: Record<string, string> = {
  STRING: 'string',
  INTEGER: 'number',
  FLOAT: 'number',
  BOOLEAN: 'boolean',
  DATE: 'string',
};

/** @returns declarations that export `Classes`, for `createAtrium<Classes>()` */
export function classTypes(classes: readonly RecordClass[]): string {
  const texts = classes.map(({ name, fields }) => {
    const members = fields.map(({ name, type, array, required }) => {
      const one = JSON_TYPES[type] ?? 'unknown';
      const value = array ? `${one}[]` : one;
      return `    ${JSON.stringify(name)}: ${required ? value : `${value} | null`};\n`;
    });
    return `  ${JSON.stringify(name)}: {\n${members.join('')}  };\n`;
  });
  return `export type Classes = {\n${texts.join('')}};\n`;
}
