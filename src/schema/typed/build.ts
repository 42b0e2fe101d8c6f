import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertValidSchema, type GraphQLSchema } from 'graphql';
import type { Catalogue, ClassDefinition } from '../../resolvers/classes/catalogue.ts';
import { createBuilder } from '../builder.ts';
import { readAccess, schema } from '../index.ts';
import { addClass } from './class-operations.ts';
import { typedClass } from './class-types.ts';
import { type ClassPart, joinParts, partOf } from './merge.ts';
import { type ClassNames, nameClasses } from './names.ts';
import { sharedTypes } from './shared.ts';

/** Classes of an application that have types of their own: the oldest; all have the generic operations. */
export const MAX_TYPED_CLASSES = 200;

/** Names of the service's own types and operations, which classes can't take. */
const TAKEN = {
  types: Object.keys(schema.getTypeMap()),
  operations: [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.keys(type!.getFields()),
  ),
};

/** A schema with the parts it is made of, by what each depends on, so that the next one reuses those of unchanged classes. */
export interface BuiltSchema {
  schema: GraphQLSchema;
  parts: ReadonlyMap<string, ClassPart>;
  /** Milliseconds for which the event loop was busy with it. */
  busyMs: number;
}

/** Builds the schema of an application class by class, and lets everything else run after each of them. */
export async function buildSchema({ byKey }: Catalogue, known?: BuiltSchema): Promise<BuiltSchema> {
  const oldestFirst = [...byKey.values()].sort((a, b) => a.key - b.key).slice(0, MAX_TYPED_CLASSES);
  const names = nameClasses(oldestFirst, TAKEN);
  const parts = new Map<string, ClassPart>();
  let busyMs = 0;
  for (const one of oldestFirst) {
    const own = names.get(one.key);
    if (!own) continue;
    const begin = performance.now();
    const shape = JSON.stringify([classShape(one), own]);
    const reused = known?.parts.get(shape);
    parts.set(shape, reused ?? buildPart(one, own));
    busyMs += performance.now() - begin;
    if (!reused) await nextTurn();
  }
  const begin = performance.now();
  const joined = joinParts(schema, [...parts.values()]);
  return { schema: joined, parts, busyMs: busyMs + performance.now() - begin };
}

/** What the types of a class depend on. */
export function classShape({ key, name, fields }: ClassDefinition): unknown[] {
  return [key, name, ...[...fields.values()].map((field) => [field.name, field.type, field.isArray, field.isRequired])];
}

function buildPart(known: ClassDefinition, names: ClassNames): ClassPart {
  const builder = createBuilder({ observedAs: 'typed' });
  addClass(builder, sharedTypes(builder), typedClass(known, names));
  // Fields stand in the order of their class.
  const classSchema = builder.toSchema({ sortSchema: false });
  assertValidSchema(classSchema);
  readAccess(classSchema);
  return partOf(classSchema, schema);
}
