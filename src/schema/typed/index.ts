import { setTimeout as pause } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Viewer } from '../../lib/access.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import { SECOND } from '../../lib/time.ts';
import { type Catalogue, catalogueOf } from '../../resolvers/classes/catalogue.ts';
import { schema } from '../index.ts';
import { type BuiltSchema, buildSchema, classShape, MAX_TYPED_CLASSES } from './build.ts';

/** Fields of classes in all the schemas that are kept, about 5 KB each; a class without fields takes as much as ten. */
const MAX_KEPT_FIELDS = 40_000;
const FIELDS_OF_EMPTY_CLASS = 10;

/** An application's builds may take one part in so many of the time of a process. */
const BUILD_SHARE = 5;
const MAX_PAUSE_MS = 5 * SECOND;

/** One build at a time, in turns of the applications. */
const builds = new Semaphore({ concurrency: 1, maxWaiting: 1_000, refuse: () => new ServiceUnavailableError() });

interface KeptSchema extends BuiltSchema {
  /** What the schema depends on of the classes. */
  shape: string;
  fields: number;
  /** `performance.now()` */
  builtAt: number;
}

/** By application; the most recently used come last. */
const kept = new Map<number, KeptSchema>();
const building = new Map<number, Promise<unknown>>();

/**
 * The schema that a caller sees: the service's own, and types and operations of each class of their application. It is
 * built when it is first asked for after a class has changed, on every process, and nobody else sees it.
 */
export async function schemaFor(viewer: Viewer, log: Logger): Promise<GraphQLSchema> {
  if (viewer.kind === 'anonymous' || viewer.kind === 'refused' || viewer.catalogueVersion === 0) return schema;
  const { applicationId, catalogueVersion } = viewer;
  for (;;) {
    // Asked again after each wait: the classes may have changed once more.
    const catalogue = await catalogueOf(applicationId, catalogueVersion);
    if (catalogue.byKey.size === 0) return schema;
    const known = kept.get(applicationId);
    if (known?.shape === shapeOf(catalogue)) {
      kept.delete(applicationId);
      kept.set(applicationId, known);
      return known.schema;
    }
    const inFlight = building.get(applicationId);
    if (!inFlight) return build(applicationId, catalogue, log);
    await inFlight.catch(() => {}); // thrown to the caller who began it
  }
}

function build(applicationId: number, catalogue: Catalogue, log: Logger): Promise<GraphQLSchema> {
  const known = kept.get(applicationId);
  const started = (async () => {
    if (known) await pauseAfter(known);
    const built = await builds.run(() => buildOrLog(catalogue, known, log), [`application:${applicationId}`]);
    keep(applicationId, catalogue, built);
    return built.schema;
  })().finally(() => building.delete(applicationId));
  building.set(applicationId, started);
  return started;
}

/** A class that changes all the time must not keep the process busy. */
async function pauseAfter({ builtAt, busyMs }: KeptSchema): Promise<void> {
  const rest = builtAt + (BUILD_SHARE - 1) * busyMs - performance.now();
  if (rest > 0) await pause(Math.min(rest, MAX_PAUSE_MS));
}

/** A fault of ours in the types of a class must not take the service's own operations away. */
async function buildOrLog(catalogue: Catalogue, known: BuiltSchema | undefined, log: Logger): Promise<BuiltSchema> {
  try {
    return await buildSchema(catalogue, known);
  } catch (error) {
    log.error({ err: error }, 'the classes of an application have no types of their own');
    return { schema, parts: new Map(), busyMs: 0 };
  }
}

function keep(applicationId: number, catalogue: Catalogue, built: BuiltSchema): void {
  const fields = [...catalogue.byKey.values()]
    .slice(0, MAX_TYPED_CLASSES)
    .reduce((sum, one) => sum + one.fields.size + FIELDS_OF_EMPTY_CLASS, 0);
  kept.delete(applicationId);
  kept.set(applicationId, { ...built, shape: shapeOf(catalogue), fields, builtAt: performance.now() });
  let total = [...kept.values()].reduce((sum, one) => sum + one.fields, 0);
  for (const [oldest, one] of kept) {
    if (total <= MAX_KEPT_FIELDS || kept.size === 1) break;
    kept.delete(oldest);
    total -= one.fields;
  }
}

const shapes = new WeakMap<Catalogue, string>();

/** Equal for catalogues that make the same schema. */
function shapeOf(catalogue: Catalogue): string {
  const known = shapes.get(catalogue);
  if (known !== undefined) return known;
  const shape = JSON.stringify([...catalogue.byKey.values()].map(classShape));
  shapes.set(catalogue, shape);
  return shape;
}
