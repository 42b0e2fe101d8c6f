import { type GraphQLSchema, isIntrospectionType, isSpecifiedScalarType } from 'graphql';

/** A part of the documentation that the search finds. */
export interface Section {
  /** Relative to the root, with the anchor. */
  address: string;
  guide: string;
  title: string;
  text: string;
}

export interface Endpoints {
  tags: readonly { name: string }[];
  paths: Record<string, Record<string, { operationId: string; tags: string[]; summary: string; description: string }>>;
}

/** Endpoints, with their addresses in the REST reference. */
export function endpointSections({ paths }: Endpoints): Section[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, tags, summary, description }]) => ({
      address: `docs#/${encodeURIComponent(tags[0]!.replaceAll(' ', '_'))}/${operationId}`,
      guide: 'REST',
      title: `${method.toUpperCase()} ${path}, ${wordsOf(operationId)}`,
      text: `${summary}. ${description}`,
    })),
  );
}

/** Operations and types of the schema, with their addresses in the GraphQL reference. */
export function schemaSections(schema: GraphQLSchema): Section[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const operations = roots.flatMap((type) =>
    Object.values(type?.getFields() ?? {}).map(({ name, description }) => ({
      address: `guides/graphql/${type!.name}#${name}`,
      guide: 'GraphQL',
      title: `${type!.name.toLowerCase()} ${name}`,
      text: `${wordsOf(name)}: ${description}`,
    })),
  );
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !(roots as unknown[]).includes(type),
  );
  return [
    ...operations,
    ...types.map(({ name, description }) => ({
      address: `guides/graphql/${name}`,
      guide: 'GraphQL',
      title: `type ${name}`,
      text: description ?? '',
    })),
  ];
}

/** `createUser` → `create user`, so that the search finds each word. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
