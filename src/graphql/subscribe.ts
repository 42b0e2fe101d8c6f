import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Context } from '../context.ts';
import type { Viewer } from '../lib/access.ts';
import type { LiveEvent, Watch } from '../realtime/watch.ts';
import { createLoaders } from '../resolvers/loaders.ts';
import { schema } from '../schema/index.ts';

/**
 * GraphQL's `subscribe` for every door. Each subscriber has a watch of its own, with its own rights and its own place
 * in the stream; what is shared is the work: subscribers whose answer must be the same (same document, variables and,
 * where a field depends on it, viewer) share one execution of each event.
 */
export async function subscribe(
  args: ExecutionArgs,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return source;
  const watch = source as Watch;
  const context = args.contextValue as Context;
  watch.onTooSlow = context.onTooSlow;
  const key = sharingKey(args, context.viewer);
  return mapWatch(watch, async (event) => {
    let isOwn = false;
    const shared = await event.once(key, () => {
      isOwn = true;
      return executeEvent(args, context, event);
    });
    // What failed may have failed for whoever was first alone: they may have lost their rights meanwhile.
    return shared.errors && !isOwn ? executeEvent(args, context, event) : shared;
  });
}

/** Rights and rows are read anew for each event, by resolvers that know nothing of subscriptions. */
function executeEvent(args: ExecutionArgs, context: Context, event: LiveEvent) {
  const contextValue: Context = { ...context, loaders: createLoaders(context.viewer) };
  return execute({ ...args, rootValue: event, contextValue });
}

function mapWatch<Result>(
  watch: Watch,
  map: (event: LiveEvent) => Result | Promise<Result>,
): AsyncIterableIterator<Result> {
  return {
    async next() {
      const { value, done } = await watch.next();
      return done ? { value: undefined, done } : { value: await map(value), done: false };
    },
    async return() {
      await watch.return();
      return { value: undefined, done: true };
    },
    throw: (error) => watch.throw(error),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Equal for subscribers whose answers to one event are equal. Where they began (`since`) makes no difference. */
function sharingKey({ document, operationName, variableValues }: ExecutionArgs, viewer: Viewer): string {
  const { id, sinceVariables, isViewerDependent } = traitsOf(document);
  const variables = Object.entries(variableValues ?? {}).filter(([name]) => !sinceVariables.has(name));
  const scope = viewer.kind === 'user' && isViewerDependent ? `user ${viewer.userId}` : viewer.kind;
  const applicationId = 'applicationId' in viewer ? viewer.applicationId : 0;
  return JSON.stringify([
    id,
    operationName ?? null,
    variables.sort(([a], [b]) => (a < b ? -1 : 1)),
    applicationId,
    scope,
  ]);
}

interface DocumentTraits {
  id: number;
  /** Variables that are used for nothing but `since`. */
  sinceVariables: Set<string>;
  /** Whether a field is asked for whose value depends on who asks (its `viewerDependent` extension says so). */
  isViewerDependent: boolean;
}

const traits = new WeakMap<DocumentNode, DocumentTraits>();
let documents = 0;

function traitsOf(document: DocumentNode): DocumentTraits {
  const known = traits.get(document);
  if (known) return known;
  const read = readTraits(document);
  traits.set(document, read);
  return read;
}

function readTraits(document: DocumentNode): DocumentTraits {
  let isViewerDependent = false;
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: () => {
        if (typeInfo.getFieldDef()?.extensions.viewerDependent) isViewerDependent = true;
      },
    }),
  );
  const sinceVariables = new Set<string>();
  const otherVariables = new Set<string>();
  visit(document, {
    Argument({ name, value }) {
      if (name.value !== 'since' || value.kind !== 'Variable') return undefined;
      sinceVariables.add(value.name.value);
      return false;
    },
    VariableDefinition: () => false,
    Variable({ name }) {
      otherVariables.add(name.value);
    },
  });
  for (const name of otherVariables) sinceVariables.delete(name);
  return { id: documents++, sinceVariables, isViewerDependent };
}
