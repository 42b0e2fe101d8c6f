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
import { administratorOf, type Viewer } from '../lib/access.ts';
import { ForbiddenError, NotFoundError } from '../lib/errors.ts';
import { Loaders } from '../lib/loaders.ts';
import { ResponseSize } from '../lib/response-size.ts';
import { traced } from '../platform/observability/tracing.ts';
import type { LiveEvent, LiveQueue } from '../realtime/live-queue.ts';
import { deriveContext } from '../resolvers/create-context.ts';
import { bounded } from './execute.ts';

/** Maximum events of one subscriber that are executed together. */
const MAX_TOGETHER = 50;

/** Milliseconds between attempts to execute an event while the database is unavailable. */
const RETRY_EVENT_MS = 250;

/**
 * `subscribe` for every transport. Each subscriber has its own queue, rights and position in the outbox. Subscribers
 * with the same document and variables (and viewer, if a field depends on it) share one execution of each event.
 */
export async function subscribe(args: ExecutionArgs): Promise<ExecutionResult | SubscriptionResults> {
  const context = args.contextValue as Context;
  // A copy, so that data cached in the context while subscribing is not retained as long as the subscription.
  const source = await createSourceEventStream({ ...args, contextValue: deriveContext(context, {}) });
  if (!(Symbol.asyncIterator in source)) return source;
  const queue = source as LiveQueue<unknown>;
  queue.onTooSlow = context.onTooSlow;
  // Each event has a response of its own.
  return new SubscriptionResults(queue, { ...args, contextValue: deriveContext(context, { responseSize: undefined }) });
}

export interface ResultReceiver {
  /** @returns a promise when the next result should wait */
  send: (result: ExecutionResult, hasMore: boolean) => Promise<void> | undefined;
  /** The subscription has ended, by the error if there is one. */
  end: (error?: Error) => void;
}

/**
 * Results in the order of the events. Available events are executed together and read their rows together, so that a
 * burst costs a few queries.
 */
export class SubscriptionResults implements AsyncIterableIterator<ExecutionResult> {
  readonly #queue: LiveQueue<unknown>;
  readonly #args: ExecutionArgs;
  readonly #context: Context;
  readonly #key: string;
  #receiver: ResultReceiver | undefined;
  #inFlight: { event: LiveEvent; answer: Promise<ExecutionResult> }[] = [];
  #isForwarding = false;
  #isOver = false;
  #isCounted = true;

  constructor(queue: LiveQueue<unknown>, args: ExecutionArgs) {
    const context = args.contextValue as Context;
    this.#queue = queue;
    this.#args = args;
    this.#context = context;
    this.#key = sharingKey(args, context.viewer);
    context.observer.subscriptionBegan();
  }

  async next(): Promise<IteratorResult<ExecutionResult, undefined>> {
    for (;;) {
      if (this.#inFlight.length === 0) {
        const ready = this.#queue.takeReady(MAX_TOGETHER);
        if (ready.length === 0) {
          const first = await this.#first();
          if (first.done) return first;
          ready.push(first.value, ...this.#queue.takeReady(MAX_TOGETHER - 1));
        }
        const turn = this.#execute(ready);
        if (turn) await turn;
        if (this.#inFlight.length === 0) continue;
      }
      const { event, answer } = this.#inFlight.shift()!;
      const value = await answer;
      // The subscription may have ended because the subscriber lost its rights.
      if (this.#isOver) return { value: undefined, done: true };
      if (isNotFound(value)) continue;
      this.#observeDelivery(event);
      return { value, done: false };
    }
  }

  /**
   * Sends the results until the end, instead of `next`. Holds no promise while there are no events, because each
   * idle subscriber would retain it with its callers.
   */
  forward(receiver: ResultReceiver): void {
    this.#receiver = receiver;
    this.#queue.reader = this;
    this.ready();
  }

  ready(): void {
    void this.#forward(this.#receiver!);
  }

  async #forward(receiver: ResultReceiver): Promise<void> {
    if (this.#isForwarding) return;
    this.#isForwarding = true;
    await undefined; // the hub may be about to add more events, which are executed together
    try {
      while (this.#inFlight.length > 0 || !this.#queue.isIdle) {
        const { value, done } = await this.next();
        if (done) return receiver.end();
        const sent = receiver.send(value, this.#inFlight.length > 0);
        if (sent) await sent;
      }
    } catch (error) {
      void this.return(); // the result could not be sent
      return receiver.end(error as Error);
    }
    this.#isForwarding = false;
  }

  async return(): Promise<IteratorResult<ExecutionResult, undefined>> {
    this.#isOver = true;
    this.#inFlight = [];
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
    const whenDone = () => Promise.allSettled(this.#inFlight.map(({ answer }) => answer));
    const turn = this.#queue.executeInTurn(() => this.#start(events), whenDone);
    return turn?.catch(async (error) => {
      await this.return();
      throw error;
    });
  }

  #start(events: LiveEvent[]): void {
    if (this.#isOver) return;
    const loaders = new Loaders(this.#context.viewer);
    this.#inFlight = events.map((event) => {
      const answer = this.#run(event, loaders);
      answer.catch(() => {}); // avoids an unhandled rejection; `next` awaits the result
      return { event, answer };
    });
  }

  async #run(event: LiveEvent, loaders: Loaders): Promise<ExecutionResult> {
    let isOwn = false;
    const shared = await event.once(this.#key, () => {
      isOwn = true;
      return this.#executeEvent(event, loaders);
    });
    // The shared result may rest on rights that either subscriber has since lost, so execute again.
    const isOthers = !isOwn && (shared.errors !== undefined || this.#queue.isDoubtful(event));
    return isOthers ? this.#executeEvent(event, new Loaders(this.#context.viewer)) : shared;
  }

  /** While the database is unavailable, the event and later ones wait in the queue. */
  async #executeEvent(event: LiveEvent, loaders: Loaders): Promise<ExecutionResult> {
    let answer = await executeEvent(this.#args, this.#context, event, loaders);
    while (this.#queue.isOpen && answer.errors?.some(({ originalError }) => isDatabaseUnavailable(originalError))) {
      await delay(RETRY_EVENT_MS, undefined, { ref: false });
      answer = await executeEvent(this.#args, this.#context, event, new Loaders(this.#context.viewer));
    }
    return answer;
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

/** The subject was deleted or became invisible before delivery: drop the event. */
function isNotFound({ errors }: ExecutionResult): boolean {
  return (
    errors?.some(
      ({ originalError }) => originalError instanceof NotFoundError || originalError instanceof ForbiddenError,
    ) ?? false
  );
}

/** Reads rights and rows again for each event; resolvers do not know about subscriptions. */
function executeEvent(args: ExecutionArgs, context: Context, event: LiveEvent, loaders: Loaders) {
  const contextValue = deriveContext(context, { loaders, responseSize: new ResponseSize(context.viewer) });
  // A root span, because the request that caused the event does not wait for it and it may have many subscribers.
  return traced('live event', { isRoot: true }, async () =>
    bounded(await execute({ ...args, rootValue: event, contextValue }), contextValue),
  );
}

/** Equal for subscribers with equal results; ignores `since`. */
function sharingKey({ schema, document, operationName, variableValues }: ExecutionArgs, viewer: Viewer): string {
  const { id, sinceVariables, isViewerDependent } = traitsOf(document, schema);
  const variables = Object.entries(variableValues ?? {}).filter(([name]) => !sinceVariables.has(name));
  const administrator = administratorOf(viewer);
  // Each reading administrator leaves entries of their own.
  const reader = administrator && `administrator ${administrator.sessionId} ${administrator.reason}`;
  const scope = viewer.kind === 'user' && isViewerDependent ? `user ${viewer.userId}` : viewer.kind;
  const applicationId = 'applicationId' in viewer ? viewer.applicationId : 0;
  return JSON.stringify([
    id,
    operationName ?? null,
    variables.sort(([a], [b]) => (a < b ? -1 : 1)),
    applicationId,
    scope,
    reader,
  ]);
}

interface DocumentTraits {
  id: number;
  /** Variables used only for `since`. */
  sinceVariables: Set<string>;
  isViewerDependent: boolean;
}

const traits = new WeakMap<DocumentNode, DocumentTraits>();
let documents = 0;

function traitsOf(document: DocumentNode, schema: GraphQLSchema): DocumentTraits {
  const cached = traits.get(document);
  if (cached) return cached;
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
