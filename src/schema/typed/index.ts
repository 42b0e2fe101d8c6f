import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Viewer } from '../../lib/access.ts';
import { nameClasses } from '../../lib/typed-names.ts';
import { type Catalogue, catalogueOf } from '../../resolvers/classes/catalogue.ts';
import { createBuilder } from '../builder.ts';
import { readAccess, schema } from '../index.ts';
import { addClass } from './class-operations.ts';
import { typedClass } from './class-types.ts';
import { joinSchemas } from './merge.ts';
import { sharedTypes } from './shared.ts';

/** Classes in all the schemas that are kept: building one takes a while, and each class a fifth of a megabyte. */
const MAX_KEPT_CLASSES = 1_000;

/** Classes of an application that have types of their own: the oldest; all have the generic operations. */
export const MAX_TYPED_CLASSES = 200;

interface KeptSchema {
  /** What the schema depends on of the classes. */
  shape: string;
  classes: number;
  schema: GraphQLSchema;
}

const kept = new Map<number, KeptSchema>();

/**
 * The schema that a caller sees: the service's own, and types and operations of each class of their application. It is
 * built when it is first asked for after a class has changed, on every process, and nobody else sees it.
 */
export async function schemaFor(viewer: Viewer, log: Logger): Promise<GraphQLSchema> {
  if (viewer.kind === 'anonymous' || viewer.kind === 'refused' || viewer.catalogueVersion === 0) return schema;
  const { applicationId, catalogueVersion } = viewer;
  const catalogue = await catalogueOf(applicationId, catalogueVersion);
  if (catalogue.byKey.size === 0) return schema;
  const shape = shapeOf(catalogue);
  const known = kept.get(applicationId);
  if (known?.shape === shape) {
    // The most recently asked for come last.
    kept.delete(applicationId);
    kept.set(applicationId, known);
    return known.schema;
  }
  const joined = build(catalogue, log);
  kept.delete(applicationId);
  kept.set(applicationId, { shape, classes: Math.min(catalogue.byKey.size, MAX_TYPED_CLASSES), schema: joined });
  let classes = [...kept.values()].reduce((sum, one) => sum + one.classes, 0);
  for (const [oldest, one] of kept) {
    if (classes <= MAX_KEPT_CLASSES) break;
    kept.delete(oldest);
    classes -= one.classes;
  }
  return joined;
}

const shapes = new WeakMap<Catalogue, string>();

/** Equal for catalogues that make the same schema. */
function shapeOf(catalogue: Catalogue): string {
  const known = shapes.get(catalogue);
  if (known !== undefined) return known;
  const classes = [...catalogue.byKey.values()].map(({ key, name, fields }) => [
    key,
    name,
    ...[...fields.values()].map((field) => [field.name, field.type, field.isArray, field.isRequired]),
  ]);
  const shape = JSON.stringify(classes);
  shapes.set(catalogue, shape);
  return shape;
}

/** Names of the service's own types and operations, which classes can't take. */
const TAKEN = {
  types: Object.keys(schema.getTypeMap()),
  operations: [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.keys(type!.getFields()),
  ),
};

/** A fault of ours in the types of a class takes nobody the service's own operations away. */
function build({ byKey }: Catalogue, log: Logger): GraphQLSchema {
  try {
    const oldestFirst = [...byKey.values()].sort((a, b) => a.key - b.key).slice(0, MAX_TYPED_CLASSES);
    const names = nameClasses(oldestFirst, TAKEN);
    const builder = createBuilder({ observedAs: 'typed' });
    const shared = sharedTypes(builder);
    for (const known of oldestFirst) {
      const own = names.get(known.key);
      if (own) addClass(builder, shared, typedClass(known, own));
    }
    // Sorting would make another copy of all types; fields stand in the order of their class.
    const classes = builder.toSchema({ sortSchema: false });
    readAccess(classes);
    return joinSchemas(schema, classes);
  } catch (error) {
    log.error({ err: error }, 'the classes of an application have no types of their own');
    return schema;
  }
}
