import type { GraphQLSchema } from 'graphql';

/** A part of the documentation that the search finds. */
export interface Section {
  /** Relative to the root, with the anchor. */
  address: string;
  guide: string;
  title: string;
  text: string;
}

export interface Endpoints {
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

/** Operations of the schema; the address marks the field in the text of the schema. */
export function operationSections(schema: GraphQLSchema): Section[] {
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).map(({ name, description, args }) => ({
      address: `guides/project/schema.graphql#:~:text=${encodeURIComponent(`  ${name}${args.length > 0 ? '(' : ':'}`)}`,
      guide: 'GraphQL',
      title: `${type!.name.toLowerCase()} ${name}`,
      text: `${wordsOf(name)}: ${description}`,
    })),
  );
}

/** `createUser` → `create user`, so that the search finds each word. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
