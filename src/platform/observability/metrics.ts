import type { ServerResponse } from 'node:http';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { LimitName } from '../limits/definitions.ts';
import type { DatabaseState } from './health.ts';
import type { Observer } from './observer.ts';
import { shownMethodOf } from './request-facts.ts';

export interface Readings {
  sockets: () => number;
  /** Of legacy chat clients. */
  streams: () => number;
  /** Dialogs that they have joined, in all processes. */
  rooms: () => number;
  pool: () => { total: number; idle: number; waiting: number };
  pushes: () => { inFlight: number; openCircuits: number };
  lanes: () => Record<string, { running: number; waiting: number }>;
  database: () => Promise<DatabaseState>;
  /** Undefined while the database does not respond. */
  backlog: () => Promise<Backlog | undefined>;
}

export interface Backlog {
  /** An inactive reader is absent. */
  unreadEvents: { reader: string; count: number; seconds: number }[];
  jobs: { queue: string; count: number }[];
}

export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface Peers {
  /** The label `worker`. */
  number: number;
  answer: (report: () => Promise<MetricsSnapshot>) => void;
  collect: () => Promise<MetricsSnapshot[]>;
}

const STANZAS = new Set(['message', 'presence', 'iq']);

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const DELIVERY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

let ofProcess: Registry | undefined;

/** All label values are our own (route patterns, names of the schema, codes), so that clients cannot create series. */
export class Metrics implements Observer {
  readonly #registry = new Registry();
  readonly #peers: Peers | undefined;
  readonly #requests = this.#counter('http_requests_total', 'Completed requests', ['method', 'route', 'status']);
  readonly #requestSeconds = this.#histogram(
    'http_request_duration_seconds',
    'From the arrival of a request to the end of its response',
    REQUEST_SECONDS,
    ['method', 'route'],
  );
  readonly #operations = this.#counter('graphql_operations_total', 'Operations (root fields) of all transports', [
    'type',
    'field',
    'code',
  ]);
  readonly #operationSeconds = this.#histogram(
    'graphql_operation_duration_seconds',
    'Duration of operations (root fields)',
    REQUEST_SECONDS,
    ['type', 'field'],
  );
  readonly #refusedDocuments = this.#counter(
    'graphql_refused_documents_total',
    'Documents refused before execution',
    [],
  );
  readonly #openedSockets = this.#counter('sockets_opened_total', 'Sockets opened', []);
  readonly #openedStreams = this.#counter('chat_streams_opened_total', 'Streams of legacy chat clients opened', []);
  readonly #stanzas = this.#counter('chat_stanzas_total', 'Stanzas of legacy chat clients', ['direction', 'kind']);
  readonly #refusedChatSignIns = this.#counter('chat_sign_ins_refused_total', 'Refused sign-ins to the live chat', []);
  readonly #failedStreams = this.#counter(
    'chat_stream_errors_total',
    'Streams that the service has ended with an error',
    ['condition'],
  );
  readonly #subscriptions = new Gauge({
    name: 'atrium_subscriptions',
    help: 'Active subscriptions, over sockets and server-sent events',
    registers: [this.#registry],
  });
  readonly #deliveries = this.#counter('live_deliveries_total', 'Events delivered to subscribers', ['kind']);
  readonly #deliverySeconds = this.#histogram(
    'live_delivery_delay_seconds',
    'From an event until its delivery to a subscriber',
    DELIVERY_SECONDS,
    [],
  );
  readonly #pushes = this.#counter('push_results_total', 'Outcomes of pushes', ['channel', 'outcome']);
  readonly #rateLimited = this.#counter('rate_limited_total', 'Operations beyond a rate limit', ['limit']);
  readonly #failedSweeps = this.#counter('sweep_failures_total', 'Failed sweeps', []);
  readonly #failedResetMails = this.#counter(
    'reset_mail_failures_total',
    'Mails of password resets that could not be sent',
    [],
  );

  constructor(readings: Readings, { isOfProcess = true, peers }: { isOfProcess?: boolean; peers?: Peers } = {}) {
    this.#gauge('sockets', 'Open sockets', [], (gauge) => gauge.set(readings.sockets()));
    this.#gauge('chat_streams', 'Open streams of legacy chat clients', [], (gauge) => gauge.set(readings.streams()));
    this.#gauge('chat_rooms', 'Dialogs that legacy chat clients have joined', [], (gauge) =>
      gauge.set(readings.rooms()),
    );
    this.#gauge('database_connections', 'Connections of the database pool', ['state'], (gauge) => {
      const { total, idle } = readings.pool();
      gauge.set({ state: 'busy' }, total - idle);
      gauge.set({ state: 'idle' }, idle);
    });
    this.#gauge('database_waiting', 'Statements waiting for a connection', [], (gauge) =>
      gauge.set(readings.pool().waiting),
    );
    this.#gauge('database_writable', '1, or 0 while the database is read-only', [], async (gauge) => {
      const state = await readings.database();
      if (state === 'unavailable') gauge.remove();
      else gauge.set(state === 'writable' ? 1 : 0);
    });
    this.#gauge('pushes_in_flight', 'Pushes without a response', [], (gauge) => gauge.set(readings.pushes().inFlight));
    this.#gauge('push_circuits_open', 'Push providers and hosts that do not respond', [], (gauge) =>
      gauge.set(readings.pushes().openCircuits),
    );
    this.#gauge('semaphore_jobs', 'Running and waiting jobs of each lane', ['semaphore', 'state'], (gauge) => {
      for (const [semaphore, { running, waiting }] of Object.entries(readings.lanes())) {
        gauge.set({ semaphore, state: 'running' }, running);
        gauge.set({ semaphore, state: 'waiting' }, waiting);
      }
    });
    this.#addBacklog(readings);
    if (isOfProcess && !ofProcess) {
      ofProcess = new Registry();
      collectDefaultMetrics({ register: ofProcess });
    }
    this.#peers = peers;
    if (!peers) return;
    const registries = ofProcess ? [this.#registry, ofProcess] : [this.#registry];
    for (const registry of registries) registry.setDefaultLabels({ worker: peers.number });
    peers.answer(async () => {
      const parts = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()));
      return parts.flat();
    });
  }

  async answer(response: ServerResponse): Promise<void> {
    const text = this.#peers ? merged(await this.#peers.collect()) : this.#ownText();
    response.writeHead(200, { 'Content-Type': this.#registry.contentType, 'Cache-Control': 'no-store' });
    response.end(await text);
  }

  async #ownText(): Promise<string> {
    const parts = await Promise.all([this.#registry.metrics(), ofProcess?.metrics() ?? '']);
    return parts.join('\n');
  }

  requestEnded({ method, route, status, seconds }: Parameters<Observer['requestEnded']>[0]): void {
    const labels = { method: shownMethodOf(method), route };
    this.#requests.inc({ ...labels, status });
    this.#requestSeconds.observe(labels, seconds);
  }

  operationEnded({ type, field, code, seconds }: Parameters<Observer['operationEnded']>[0]): void {
    this.#operations.inc({ type, field, code });
    this.#operationSeconds.observe({ type, field }, seconds);
  }

  documentRefused(): void {
    this.#refusedDocuments.inc();
  }

  socketOpened(): void {
    this.#openedSockets.inc();
  }

  streamOpened(): void {
    this.#openedStreams.inc();
  }

  stanzaReceived(kind: string): void {
    this.#stanzas.inc({ direction: 'in', kind: STANZAS.has(kind) ? kind : 'other' });
  }

  stanzaSent(): void {
    this.#stanzas.inc({ direction: 'out', kind: 'all' });
  }

  chatSignInRefused(): void {
    this.#refusedChatSignIns.inc();
  }

  chatStreamFailed(condition: string): void {
    this.#failedStreams.inc({ condition });
  }

  subscriptionBegan(): void {
    this.#subscriptions.inc();
  }

  subscriptionEnded(): void {
    this.#subscriptions.dec();
  }

  eventDelivered(seconds: number | undefined): void {
    this.#deliveries.inc({ kind: seconds === undefined ? 'missed' : 'live' });
    if (seconds !== undefined) this.#deliverySeconds.observe(seconds);
  }

  pushAnswered(channel: string, outcome: string): void {
    this.#pushes.inc({ channel, outcome });
  }

  rateLimitExceeded(limit: LimitName): void {
    this.#rateLimited.inc({ limit });
  }

  sweepFailed(): void {
    this.#failedSweeps.inc();
  }

  resetMailFailed(): void {
    this.#failedResetMails.inc();
  }

  #addBacklog({ backlog }: Readings): void {
    let pending: Promise<Backlog | undefined> | undefined;
    const read = () => {
      pending ??= backlog().finally(() => {
        pending = undefined;
      });
      return pending;
    };
    this.#gauge('unread_events', 'Unread events of the stream', ['reader'], async (gauge) => {
      for (const { reader, count } of (await read())?.unreadEvents ?? []) gauge.set({ reader }, count);
    });
    this.#gauge('unread_events_age_seconds', 'Age of the oldest unread event', ['reader'], async (gauge) => {
      for (const { reader, seconds } of (await read())?.unreadEvents ?? []) gauge.set({ reader }, seconds);
    });
    this.#gauge('waiting_jobs', 'Waiting jobs, counted up to 10000', ['queue'], async (gauge) => {
      for (const { queue, count } of (await read())?.jobs ?? []) gauge.set({ queue }, count);
    });
  }

  #gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    read: (gauge: Gauge<Label>) => void | Promise<void>,
  ): void {
    new Gauge({
      name: `atrium_${name}`,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        if (labelNames.length > 0) this.reset();
        return read(this);
      },
    });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name: `atrium_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[],
  ): Histogram<Label> {
    return new Histogram({ name: `atrium_${name}`, help, buckets, labelNames, registers: [this.#registry] });
  }
}

/** The label `worker` keeps the series apart. */
function merged(snapshots: MetricsSnapshot[]): Promise<string> {
  const summed = snapshots.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: 'sum' as const })));
  return AggregatorRegistry.aggregate(summed).metrics();
}
