import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

/** Something of a schema that people look up, by its path: `Query.dialogs(first)`. */
interface Described {
  path: string;
  description: string | null | undefined;
}

/** Every type, field, argument, input field and enum value of a schema but those of GraphQL itself. */
export function described(schema: GraphQLSchema): Described[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => [{ path: type.name, description: type.description }, ...partsOf(type)]);
}

function partsOf(type: GraphQLNamedType): Described[] {
  if (isEnumType(type)) return type.getValues().map((value) => at(type.name, value));
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => at(type.name, field));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => {
    const path = `${type.name}.${field.name}`;
    const args = field.args.map(({ name, description }) => ({ path: `${path}(${name})`, description }));
    return [{ path, description: field.description }, ...args];
  });
}

function at(type: string, { name, description }: { name: string; description?: string | null | undefined }): Described {
  return { path: `${type}.${name}`, description };
}

/** What is wrong with a description; undefined when it tells something. */
export function flawOf({ path, description }: Described): string | undefined {
  const text = description?.trim() ?? '';
  if (text === '') return `${path} says nothing`;
  if (!/^[A-Z0-9`"±-].*[.:)]$/s.test(text)) return `${path} is no sentence: ${text}`;
  const words = text.match(/\p{L}+|\d+/gu) ?? [];
  if (words.length < 2) return `${path} says too little: ${text}`;
  const name = new Set((path.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase()));
  const news = words.filter((word) => !name.has(word.toLowerCase()) && !EMPTY.has(word.toLowerCase()));
  return news.length === 0 ? `${path} only says its name: ${text}` : undefined;
}

/** Words that add nothing to a name. */
const EMPTY = new Set(['a', 'an', 'the', 'of', 'its', 'is', 'it', 'to', 'in', 'this', 'for', 'by', 'input', 'field']);
