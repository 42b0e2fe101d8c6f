import fc from 'fast-check';
import type { Kind, ParityFixture, Pick, Who } from './fixture.ts';
import type { Call } from './transports.ts';

export interface Command<Args = unknown> {
  /** `put /users/:id` */
  route: string;
  who: fc.Arbitrary<Who>;
  args: fc.Arbitrary<Args>;
  call: (fixture: ParityFixture, args: Args) => Call;
  learn?: ((fixture: ParityFixture, body: Body, args: Args) => void) | undefined;
  /** Sockets must be reopened, because their credentials change or become invalid. */
  changesCredentials?: boolean | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are of every shape
export type Body = any;

type More<Args> = Partial<Omit<Command<Args>, 'route' | 'args' | 'call'>>;

export function command<Args>(
  route: string,
  fields: { [Name in keyof Args]: fc.Arbitrary<Args[Name]> },
  call: (fixture: ParityFixture, args: Args) => Call,
  more: More<Args> = {},
): Command {
  const args = fc.record(fields as { [Name in keyof Args]: fc.Arbitrary<Args[Name]> }, {
    noNullPrototype: true,
  }) as fc.Arbitrary<Args>;
  return { who: anybody, ...more, route, args, call } as unknown as Command;
}

/** Two of the users act more often, so that their actions affect each other. */
export const anybody: fc.Arbitrary<Who> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Who>('alice') },
  { weight: 5, arbitrary: fc.constant<Who>('bob') },
  { weight: 4, arbitrary: fc.constantFrom<Who>('carol', 'dave') },
  { weight: 5, arbitrary: fc.constant<Who>('key') },
  { weight: 2, arbitrary: fc.constantFrom<Who>('session of alice', 'session of bob') },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Who>(
      'application session',
      'stranger',
      'anonymous',
      'refused token',
      'refused key',
      'key for nobody',
    ),
  },
);

export const mostlyKey: fc.Arbitrary<Who> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Who>('key') },
  { weight: 1, arbitrary: anybody },
);

export const mostlySessions: fc.Arbitrary<Who> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Who>('session of alice', 'session of bob', 'application session') },
  { weight: 1, arbitrary: anybody },
);

/** Mostly an existing id, rarely an unknown one. */
export const pick: fc.Arbitrary<Pick> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ nth: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.constantFrom<Pick>('unknown', 'foreign', 'malformed') },
);

/** Without malformed ids, which lists of GraphQL reject. */
export const pickNumber: fc.Arbitrary<Pick> = pick.map((it) => (it === 'malformed' ? 'unknown' : it));

export const several = fc.array(pick, { minLength: 2, maxLength: 3 });
export const flag = fc.boolean();

export const perhaps = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 1 });

export const mostly = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 8 });

export const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('hello', 'two words', 'Größe 🙂', 'null', '0') },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', 'x'.repeat(300)) },
);

export const page = { skip: perhaps(fc.nat(2)), limit: perhaps(fc.integer({ min: 1, max: 4 })) };

/** Flags as legacy clients send them. */
export const bit = (value: boolean | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);

export function given<Value extends object>(value: Value): { [Name in keyof Value]: NonNullable<Value[Name]> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}

export function remember(fixture: ParityFixture, kind: Kind, id: string | number): void {
  if (!fixture.known[kind].includes(id)) fixture.known[kind].push(id);
}

/** `page` and `per_page` over REST, `skip` and `first` over GraphQL. */
export const pages = { number: fc.integer({ min: 1, max: 2 }), size: fc.integer({ min: 1, max: 5 }) };

export function pageOf({ number, size }: { number: number; size: number }) {
  return { legacy: { page: number, per_page: size }, variables: { first: size, skip: (number - 1) * size } };
}
