import { setTimeout as pause } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { lanes } from '../../db/lanes.ts';
import { isIdentified, type Viewer } from '../../lib/access.ts';
import { SECOND } from '../../lib/time.ts';
import { type Catalogue, catalogueOf } from '../../resolvers/classes/catalogue.ts';
import { schema } from '../index.ts';
import { type BuiltSchema, buildSchema, classShape, MAX_TYPED_CLASSES } from './build.ts';

/** Class fields in all cached schemas, about 5 KB each; an empty class needs as much memory as 10 fields. */
const MAX_CACHED_FIELDS = 40_000;
const FIELDS_OF_EMPTY_CLASS = 10;

/** Builds for one application take at most 1/5 of the process's time. */
const BUILD_SHARE = 5;
const MAX_PAUSE_MS = 5 * SECOND;

interface CachedSchema extends BuiltSchema {
  shape: string;
  fields: number;
  builtAt: number;
}

/** Least recently used first. */
const cached = new Map<number, CachedSchema>();
const building = new Map<number, Promise<unknown>>();

/** Each process rebuilds it on the first request after a class changed. */
export async function schemaFor(viewer: Viewer, log: Logger): Promise<GraphQLSchema> {
  if (!isIdentified(viewer) || viewer.catalogueVersion === 0) return schema;
  const { applicationId, catalogueVersion } = viewer;
  for (;;) {
    // Read again after each wait, because the classes may have changed.
    const catalogue = await catalogueOf(applicationId, catalogueVersion);
    if (catalogue.byKey.size === 0) return schema;
    const current = cached.get(applicationId);
    if (current?.shape === shapeOf(catalogue)) {
      cached.delete(applicationId);
      cached.set(applicationId, current);
      return current.schema;
    }
    const inFlight = building.get(applicationId);
    if (!inFlight) return build(applicationId, catalogue, log);
    await inFlight.catch(() => {}); // reported to the caller that started the build
  }
}

function build(applicationId: number, catalogue: Catalogue, log: Logger): Promise<GraphQLSchema> {
  const current = cached.get(applicationId);
  const started = (async () => {
    if (current) await pauseAfter(current);
    const built = await lanes.schemaBuilds.run(
      () => buildOrLog(catalogue, current, log),
      [`application:${applicationId}`],
    );
    cache(applicationId, catalogue, built);
    return built.schema;
  })().finally(() => building.delete(applicationId));
  building.set(applicationId, started);
  return started;
}

/** Prevents a constantly changing class from keeping the process busy. */
async function pauseAfter({ builtAt, busyMs }: CachedSchema): Promise<void> {
  const pauseMs = builtAt + (BUILD_SHARE - 1) * busyMs - performance.now();
  if (pauseMs > 0) await pause(Math.min(pauseMs, MAX_PAUSE_MS));
}

/** Otherwise the generic operations would be unavailable, too. */
async function buildOrLog(catalogue: Catalogue, previous: BuiltSchema | undefined, log: Logger): Promise<BuiltSchema> {
  try {
    return await buildSchema(catalogue, previous);
  } catch (error) {
    log.error({ err: error }, 'building the typed schema of an application failed; serving the base schema');
    return { schema, parts: new Map(), busyMs: 0 };
  }
}

function cache(applicationId: number, catalogue: Catalogue, built: BuiltSchema): void {
  const fields = [...catalogue.byKey.values()]
    .slice(0, MAX_TYPED_CLASSES)
    .reduce((sum, one) => sum + one.fields.size + FIELDS_OF_EMPTY_CLASS, 0);
  cached.delete(applicationId);
  cached.set(applicationId, { ...built, shape: shapeOf(catalogue), fields, builtAt: performance.now() });
  let total = [...cached.values()].reduce((sum, one) => sum + one.fields, 0);
  for (const [oldest, one] of cached) {
    if (total <= MAX_CACHED_FIELDS || cached.size === 1) break;
    cached.delete(oldest);
    total -= one.fields;
  }
}

const shapes = new WeakMap<Catalogue, string>();

function shapeOf(catalogue: Catalogue): string {
  const cached = shapes.get(catalogue);
  if (cached !== undefined) return cached;
  const shape = JSON.stringify([...catalogue.byKey.values()].map(classShape));
  shapes.set(catalogue, shape);
  return shape;
}
