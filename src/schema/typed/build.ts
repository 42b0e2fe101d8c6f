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

/** Per application, oldest first. Further classes have only the generic operations. */
export const MAX_TYPED_CLASSES = 200;

const TAKEN = {
  types: Object.keys(schema.getTypeMap()),
  operations: [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.keys(type!.getFields()),
  ),
};

/** `parts` is keyed by class shape, so that the next build reuses them. */
export interface BuiltSchema {
  schema: GraphQLSchema;
  parts: ReadonlyMap<string, ClassPart>;
  /** Milliseconds for which the build blocked the event loop. */
  busyMs: number;
}

/** Yields to the event loop after each class. */
export async function buildSchema({ byKey }: Catalogue, previous?: BuiltSchema): Promise<BuiltSchema> {
  const oldestFirst = [...byKey.values()].sort((a, b) => a.key - b.key).slice(0, MAX_TYPED_CLASSES);
  const names = nameClasses(oldestFirst, TAKEN);
  const parts = new Map<string, ClassPart>();
  let busyMs = 0;
  for (const definition of oldestFirst) {
    const own = names.get(definition.key);
    if (!own) continue;
    const begin = performance.now();
    const shape = JSON.stringify([classShape(definition), own]);
    const reused = previous?.parts.get(shape);
    parts.set(shape, reused ?? buildPart(definition, own));
    busyMs += performance.now() - begin;
    if (!reused) await nextTurn();
  }
  const begin = performance.now();
  const joined = joinParts(schema, [...parts.values()]);
  return { schema: joined, parts, busyMs: busyMs + performance.now() - begin };
}

export function classShape({ key, name, fields }: ClassDefinition): unknown[] {
  return [key, name, ...[...fields.values()].map((field) => [field.name, field.type, field.isArray, field.isRequired])];
}

function buildPart(definition: ClassDefinition, names: ClassNames): ClassPart {
  const builder = createBuilder({ observedAs: 'typed' });
  addClass(builder, sharedTypes(builder), typedClass(definition, names));
  const classSchema = builder.toSchema({ sortSchema: false });
  assertValidSchema(classSchema);
  readAccess(classSchema);
  return partOf(classSchema, schema);
}
