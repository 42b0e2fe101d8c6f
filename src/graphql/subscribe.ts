import { setTimeout as delay } from 'node:timers/promises';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Context } from '../context.ts';
import { isDatabaseUnavailable } from '../db/failures.ts';
import type { Viewer } from '../lib/access.ts';
import { ForbiddenError, NotFoundError } from '../lib/errors.ts';
import { Loaders } from '../lib/loaders.ts';
import { ResponseSize } from '../lib/response-size.ts';
import type { LiveEvent, LiveQueue } from '../realtime/live-queue.ts';
import { traced } from '../server/observability/tracing.ts';
import { bounded } from './execute.ts';

/** Events of one subscriber that are executed together. */
const MAX_TOGETHER = 50;

/** How soon an event is executed again while the database is away. */
const AGAIN_AFTER = 250;

/**
 * GraphQL's `subscribe` for every door. Each subscriber has a queue of its own, with its own rights and its own place
 * in the stream; what is shared is the work: subscribers whose answer must be the same (same document, variables and,
 * where a field depends on it, viewer) share one execution of each event.
 */
export async function subscribe(
  args: ExecutionArgs,
): Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult, undefined>> {
  const context = args.contextValue as Context;
  // A copy of the context, so that what is found out about it for joining is not kept as long as the subscriber.
  const source = await createSourceEventStream({ ...args, contextValue: { ...context } });
  if (!(Symbol.asyncIterator in source)) return source;
  const queue = source as LiveQueue<unknown>;
  queue.onTooSlow = context.onTooSlow;
  const key = sharingKey(args, context.viewer);
  // An event is not lost with a database that goes away for a moment: it waits, and those behind it in the queue.
  const execute = async (event: LiveEvent, loaders: Loaders) => {
    let answer = await executeEvent(args, context, event, loaders);
    while (queue.isOpen && answer.errors?.some(({ originalError }) => isDatabaseUnavailable(originalError))) {
      await delay(AGAIN_AFTER, undefined, { ref: false });
      answer = await executeEvent(args, context, event, new Loaders(context.viewer));
    }
    return answer;
  };
  const run = async (event: LiveEvent, loaders: Loaders) => {
    let isOwn = false;
    const shared = await event.once(key, () => {
      isOwn = true;
      return execute(event, loaders);
    });
    // Whoever was first may have lost their rights meanwhile, or this subscriber: then the answer is another one.
    const isOthers = !isOwn && (shared.errors !== undefined || queue.isDoubtful(event));
    return isOthers ? execute(event, new Loaders(context.viewer)) : shared;
  };
  return new Answers(queue, run, context);
}

/**
 * The answers to a queue's events, in the order of the events. What is ready together is executed together and its
 * rows are read together, so that a burst costs a few queries and not one wait after the other.
 */
class Answers implements AsyncIterableIterator<ExecutionResult> {
  readonly #queue: LiveQueue<unknown>;
  readonly #run: (event: LiveEvent, loaders: Loaders) => Promise<ExecutionResult>;
  readonly #context: Context;
  #underWay: { event: LiveEvent; answer: Promise<ExecutionResult> }[] = [];
  #isOver = false;
  #isCounted = true;

  constructor(
    queue: LiveQueue<unknown>,
    run: (event: LiveEvent, loaders: Loaders) => Promise<ExecutionResult>,
    context: Context,
  ) {
    this.#queue = queue;
    this.#run = run;
    this.#context = context;
    context.observer.subscriptionBegan();
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    for (;;) {
      if (this.#underWay.length === 0) {
        const first = await this.#first();
        if (first.done) return first;
        const turn = this.#execute([first.value, ...this.#queue.takeReady(MAX_TOGETHER - 1)]);
        if (turn) await turn;
        if (this.#underWay.length === 0) continue;
      }
      const { event, answer } = this.#underWay.shift()!;
      const value = await answer;
      // Whoever ended it while the answer was made may have lost the right to it.
      if (this.#isOver) return { value: undefined, done: true };
      if (isNotFound(value)) continue;
      this.#observeDelivery(event);
      return { value, done: false };
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#isOver = true;
    this.#underWay = [];
    this.#uncount();
    await this.#queue.return();
    return { value: undefined, done: true };
  }

  throw(error: unknown): Promise<never> {
    this.#uncount();
    return this.#queue.throw(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Waits for something to tell; it is over when there is nothing more, or when it can't be read. */
  async #first(): Promise<IteratorResult<LiveEvent, undefined>> {
    let first: IteratorResult<LiveEvent, undefined> | undefined;
    try {
      first = await this.#queue.next();
      return first;
    } finally {
      if (!first || first.done) this.#uncount();
    }
  }

  #execute(events: LiveEvent[]): Promise<unknown> | undefined {
    const whenDone = () => Promise.allSettled(this.#underWay.map(({ answer }) => answer));
    const turn = this.#queue.executeInTurn(() => this.#start(events), whenDone);
    return turn?.catch(async (error) => {
      await this.return();
      throw error;
    });
  }

  #start(events: LiveEvent[]): void {
    if (this.#isOver) return;
    const loaders = new Loaders(this.#context.viewer);
    for (const event of events) {
      const answer = this.#run(event, loaders);
      answer.catch(() => {}); // whoever takes the answer hears of it; nobody may
      this.#underWay.push({ event, answer });
    }
  }

  #observeDelivery({ occurredAt }: LiveEvent): void {
    const { observer, now } = this.#context;
    const delay = occurredAt === undefined ? undefined : Math.max(0, now().getTime() - occurredAt);
    observer.eventDelivered(delay === undefined ? undefined : delay / 1000);
  }

  #uncount(): void {
    if (!this.#isCounted) return;
    this.#isCounted = false;
    this.#context.observer.subscriptionEnded();
  }
}

/** What an event tells of is deleted, or out of the subscriber's sight, by the time it is told: so it is not told. */
function isNotFound({ errors }: ExecutionResult): boolean {
  return (
    errors?.some(
      ({ originalError }) => originalError instanceof NotFoundError || originalError instanceof ForbiddenError,
    ) ?? false
  );
}

/** Rights and rows are read anew for each event, by resolvers that know nothing of subscriptions. */
function executeEvent(args: ExecutionArgs, context: Context, event: LiveEvent, loaders: Loaders) {
  const contextValue: Context = { ...context, loaders, responseSize: new ResponseSize(context.viewer) };
  // It has a trace of its own: whoever did what is told of does not wait for it, and it may be told to many.
  return traced('live event', { isRoot: true }, async () =>
    bounded(await execute({ ...args, rootValue: event, contextValue }), contextValue),
  );
}

/** Equal for subscribers whose answers to one event are equal. Where they began (`since`) makes no difference. */
function sharingKey({ schema, document, operationName, variableValues }: ExecutionArgs, viewer: Viewer): string {
  const { id, sinceVariables, isViewerDependent } = traitsOf(document, schema);
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

function traitsOf(document: DocumentNode, schema: GraphQLSchema): DocumentTraits {
  const known = traits.get(document);
  if (known) return known;
  const read = readTraits(document, schema);
  traits.set(document, read);
  return read;
}

function readTraits(document: DocumentNode, schema: GraphQLSchema): DocumentTraits {
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
