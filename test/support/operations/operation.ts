import fc from 'fast-check';
import type { CreationOptions } from '../fakes/authenticator.ts';
import type { Proofs } from '../fixtures/proofs.ts';
import { filledPath, type Route, routeOf, variablesOf } from './routes.ts';
import { any, callers, type Id, type Kind, listOf, type Pick as Place, Ref, type Who } from './values.ts';

/** One call of an operation, as REST and GraphQL express it. */
export interface Call {
  target: string;
  path: Record<string, Id>;
  query?: Record<string, string>;
  json?: object;
  /** The body as a form, sent instead of `json`. */
  encoded?: string;
  headers: Record<string, string>;
  /** A form with a file, which is sent over REST on every transport. */
  form?: { fields: Record<string, string>; bytes: string };
  variables: Record<string, unknown>;
}

/** The data that the arguments of a call refer to. */
export interface Fixture {
  applicationId: number;
  authKey: string;
  authSecret: string;
  nonce: number;
  /** Form fields of allowed uploads, by blob id. */
  uploads: Map<Id, Record<string, string>>;
  uids: Map<Id, string>;
  /** Secret of the authenticator app that a user set up last. */
  totpSecret?: string;
  /** Of the passkey that a user adds next. */
  passkeyRequest?: PasskeyRequest;
  proofs?: Proofs;
  /** Ids by kind, in the order of creation. */
  known: Record<Kind, Id[]>;
  pick: (kind: Kind, pick: Place) => Id;
}

export interface PasskeyRequest {
  token: string;
  passkey_options: CreationOptions;
}

export type Args = Record<string, unknown>;
export type Example = [who: Who, args: Args];

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
export type Body = any;

/** A name, or what it takes to express a value otherwise. */
type Naming<Value> = string | ((value: Exclude<Value, undefined>) => object);

class Field {
  readonly values: fc.Arbitrary<unknown>;
  readonly legacy: Naming<never> | undefined;
  readonly graphql: Naming<never> | undefined;

  constructor(values: fc.Arbitrary<unknown>, legacy?: Naming<never>, graphql?: Naming<never>) {
    this.values = values;
    this.legacy = legacy;
    this.graphql = graphql;
  }
}

/**
 * A parameter of which REST or GraphQL has another name or form. By default, GraphQL has the name in camelCase, and
 * REST has it in snake_case with flags as 0 and 1. A legacy name in capitals is that of a header.
 */
export function field<Value>(values: fc.Arbitrary<Value>, legacy?: Naming<Value>, graphql?: Naming<Value>): Field {
  return new Field(values, legacy as Naming<never>, graphql as Naming<never>);
}

/** The members of a value become parameters of their own. */
export const spread = (value: unknown) => value as object;

type Learned = { [Name in Kind]?: (body: Body) => Id | Id[] };

interface Rules {
  /** Of the body in REST: `user` for `{ "user": { … } }`. */
  wrapper?: string;
  /** Variables of GraphQL where REST has a default. */
  defaults?: Args;
  /** Parameters that are no path are in the query of a method with a body. */
  isQuery?: true;
  who?: keyof typeof callers;
  /** Sockets must be reopened, because their credentials change or become invalid. */
  changesCredentials?: true;
  /** Ids of created objects in the response. */
  learn?: Learned | ((body: Body, fixture: Fixture) => void);
  /** Replaces parts of a call that need the fixture. */
  adapt?: (call: Call, args: Args, fixture: Fixture) => Partial<Call>;
}

export class Operation {
  readonly route: Route;
  /** Method and path: `put /users/:id`. */
  readonly name: string;
  readonly fields: Record<string, Field>;
  /** Valid and invalid arguments, with references instead of ids. */
  readonly args: fc.Arbitrary<Args>;
  /** Succeed after the examples of earlier operations, and are refused after them. */
  readonly examples: { isServed: boolean; who: Who; args: Args }[] = [];
  rules: Rules = {};

  constructor(name: string, fields: Record<string, fc.Arbitrary<unknown> | Field>) {
    this.name = name;
    this.route = routeOf(name);
    const own = Object.entries({ ...idsIn(this.route), ...fields });
    this.fields = Object.fromEntries(own.map(([key, one]) => [key, one instanceof Field ? one : new Field(one)]));
    const values = Object.entries(this.fields).map(([key, one]) => [key, one.values]);
    this.args = fc.record(Object.fromEntries(values), { noNullPrototype: true });
  }

  with(rules: Rules): this {
    this.rules = { ...this.rules, ...rules };
    return this;
  }

  served(who: Who, args: Args = {}): this {
    this.examples.push({ isServed: true, who, args });
    return this;
  }

  refused(who: Who, args: Args = {}): this {
    this.examples.push({ isServed: false, who, args });
    return this;
  }

  get who(): fc.Arbitrary<Who> {
    return callers[this.rules.who ?? 'anyCaller'];
  }

  call(args: Args, fixture?: Fixture): Call {
    const known = (fixture ? resolved(args, fixture) : args) as Args;
    const call = callOf(this, known);
    const { adapt } = this.rules;
    return fixture && adapt ? { ...call, ...adapt(call, known, fixture) } : call;
  }

  learn(body: Body, fixture: Fixture): void {
    const { learn = {} } = this.rules;
    if (typeof learn === 'function') learn(body, fixture);
    else this.#remember(learn, body, fixture);
  }

  #remember(learn: Learned, body: Body, fixture: Fixture): void {
    for (const [kind, idsOf] of Object.entries(learn)) {
      const ids = fixture.known[kind as Kind];
      for (const id of [idsOf(body)].flat()) if (!ids.includes(id)) ids.push(id);
    }
  }
}

export function operation(name: string, fields: Record<string, fc.Arbitrary<unknown> | Field> = {}): Operation {
  return new Operation(name, fields);
}

const KINDS: Record<string, Kind> = {
  users: 'user',
  Dialog: 'dialog',
  Message: 'message',
  data: 'record',
  blobs: 'blob',
  geodata: 'geodatum',
  events: 'event',
  subscriptions: 'subscription',
  push_tokens: 'pushToken',
};

/** Parameters of the path that are ids of the objects it names. */
function idsIn(route: Route): Record<string, fc.Arbitrary<unknown>> {
  const steps = route.path.split('/');
  const kind = steps.map((step) => KINDS[step]).find((one) => one !== undefined);
  const declared = variablesOf(route);
  if (!kind) return {};
  if (steps.includes(':ids')) return { ids: listOf(kind, route.several ? 2 : 1, route.several ? 3 : 2) };
  return steps.includes(':id') && declared.has('id') ? { id: any(kind) } : {};
}

function callOf({ route, fields, rules: { wrapper, defaults, isQuery } }: Operation, args: Args): Call {
  const isInPath = (name: string) => route.path.split('/').includes(`:${name}`);
  const legacy: Args = {};
  const graphql: Args = { ...defaults };
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined) continue;
    const { legacy: inRest = isInPath(name) ? name : snakeCase(name), graphql: inGraphql = name } = fields[name] ?? {};
    merge(legacy, typeof inRest === 'string' ? { [inRest]: flagged(value) } : inRest(value as never));
    Object.assign(graphql, typeof inGraphql === 'string' ? { [inGraphql]: value } : inGraphql(value as never));
  }
  const isHeader = (name: string) => /^[A-Z]/.test(name);
  const path = only(legacy, isInPath) as Call['path'];
  const others = only(legacy, (name) => !isInPath(name) && !isHeader(name));
  const call: Call = {
    path,
    target: filledPath(route, path),
    headers: only(legacy, isHeader) as Call['headers'],
    variables: variables(route, graphql),
  };
  if (route.upload) {
    const { bytes, ...rest } = others as Record<string, string>;
    return { ...call, form: { fields: rest, bytes: bytes! } };
  }
  if (wrapper) return { ...call, json: { [wrapper]: others } };
  if (Object.keys(others).length === 0) return call;
  if (route.method !== 'get' && !isQuery) return { ...call, json: others };
  return { ...call, query: Object.fromEntries(Object.entries(others).map(([key, one]) => [key, String(one)])) };
}

/** Arguments that the document does not declare are members of its `$input`. */
function variables(route: Route, given: Args): Args {
  const declared = variablesOf(route);
  const input = only(given, (name) => !declared.has(name));
  return { ...only(given, (name) => declared.has(name)), ...(declared.has('input') && { input }) };
}

function only(values: Args, isKept: (name: string) => boolean): Args {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isKept(name)));
}

function merge(into: Args, more: object): void {
  for (const [name, value] of Object.entries(more)) {
    if (isPlain(into[name]) && isPlain(value)) merge(into[name], value);
    else if (value !== undefined) into[name] = value;
  }
}

function isPlain(value: unknown): value is Args {
  if (typeof value !== 'object' || value === null) return false;
  return [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function flagged(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}

export function queryText(query: Call['query'] = {}): string {
  return new URLSearchParams(query).toString();
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** With ids in place of references. */
export function resolved(value: unknown, fixture: Pick<Fixture, 'pick'>): unknown {
  if (value instanceof Ref) return fixture.pick(value.kind, value.pick);
  if (Array.isArray(value)) return value.map((item) => resolved(item, fixture));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, fixture)]));
}

/** `page` and `per_page` over REST, `skip` and `first` over GraphQL. */
export const page = field(
  fc.record({ number: fc.integer({ min: 1, max: 2 }), size: fc.integer({ min: 1, max: 5 }) }),
  ({ number, size }) => ({ page: number, per_page: size }),
  ({ number, size }) => ({ first: size, skip: (number - 1) * size }),
);
export const ONE_PAGE = { number: 1, size: 3 };
export const NO_PAGE = { number: 1, size: 0 };
