import fc from 'fast-check';

/** Objects that arguments refer to by their position in the order of creation. */
export type Kind =
  | 'user'
  | 'dialog'
  | 'message'
  | 'record'
  | 'blob'
  | 'uid'
  | 'geodatum'
  | 'event'
  | 'subscription'
  | 'pushToken'
  | 'assistant'
  | 'apiKey'
  | 'session'
  | 'passkey';

export type Id = string | number;
export type Pick = number | 'unknown' | 'foreign' | 'malformed';

/** Stands for the id of an object, until the fixture of a test is known. */
export class Ref {
  readonly kind: Kind;
  readonly pick: Pick;

  constructor(kind: Kind, pick: Pick) {
    this.kind = kind;
    this.pick = pick;
  }

  [fc.toStringMethod](): string {
    return `${this.kind} ${this.pick}`;
  }
}

export const ref =
  (kind: Kind) =>
  (pick: Pick): Ref =>
    new Ref(kind, pick);

const refs = (kind: Kind, picks: fc.Arbitrary<Pick>) => picks.map(ref(kind)) as unknown as fc.Arbitrary<Id>;
const existing = { weight: 12, arbitrary: fc.nat(5) as fc.Arbitrary<Pick> };

/** Mostly an existing object, rarely one that the application does not have. */
export const any = (kind: Kind) =>
  refs(kind, fc.oneof(existing, { weight: 2, arbitrary: fc.constantFrom<Pick>('unknown', 'foreign', 'malformed') }));

/** Without malformed ids, which lists of GraphQL reject, and which are other paths of REST. */
export const wellFormed = (kind: Kind) =>
  refs(kind, fc.oneof(existing, { weight: 2, arbitrary: fc.constantFrom<Pick>('unknown', 'foreign', 'unknown') }));

export const listOf = (kind: Kind, minLength: number, maxLength: number) =>
  fc.array(any(kind), { minLength, maxLength });
export const usersIn = fc.array(wellFormed('user'), { minLength: 1, maxLength: 2 });

export const flag = fc.boolean();
/** Given in one of four calls. */
export const perhaps = <Value>(values: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });
export const mostly = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 8 });

export const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('hello', 'two words', 'Größe 🙂', 'null', '0') },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', 'x'.repeat(300)) },
);

export const WHO = [
  'alice',
  'bob',
  'carol',
  'dave',
  'key',
  'session of alice',
  'session of bob',
  'application session',
  'stranger',
  'anonymous',
  'refused token',
  'refused key',
  'key for an unknown user',
] as const;
export type Who = (typeof WHO)[number];

const oneOf = (weight: number, ...who: Who[]) => ({ weight, arbitrary: fc.constantFrom<Who>(...who) });

/** Two of the users act more often, so that their actions affect each other. */
const anyCaller: fc.Arbitrary<Who> = fc.oneof(
  oneOf(10, 'alice'),
  oneOf(5, 'bob'),
  oneOf(4, 'carol', 'dave'),
  oneOf(5, 'key'),
  oneOf(2, 'session of alice', 'session of bob'),
  oneOf(2, 'application session', 'stranger', 'anonymous', 'refused token', 'refused key', 'key for an unknown user'),
);

export const callers = {
  anyCaller,
  key: fc.oneof(oneOf(3, 'key'), { weight: 1, arbitrary: anyCaller }),
  session: fc.oneof(oneOf(3, 'session of alice', 'session of bob', 'application session'), {
    weight: 1,
    arbitrary: anyCaller,
  }),
};
