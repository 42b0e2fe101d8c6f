import pg from 'pg';
import { Prisma } from '../generated/prisma/client.ts';

const { INT8, DATE, TIMESTAMP, TIMESTAMPTZ, NUMERIC, BYTEA } = pg.types.builtins;
const ARRAYS = { int8: 1016, timestamp: 1115, timestamptz: 1185, date: 1182, numeric: 1231 };
const TEXT_ARRAY = 1009;

type Parser = (text: string) => unknown;

const bytes = pg.types.getTypeParser(BYTEA) as (text: string) => Buffer;
const texts = pg.types.getTypeParser(TEXT_ARRAY as number) as (text: string) => (string | null)[];
const each = (parse: Parser) => (text: string) => texts(text).map((item) => (item === null ? null : parse(item)));
const decimal = (text: string) => new Prisma.Decimal(text);

const PARSERS = new Map<number, Parser>([
  [INT8, BigInt],
  [DATE, dateOf],
  [TIMESTAMP, dateOf],
  [TIMESTAMPTZ, dateOf],
  [NUMERIC, decimal],
  [BYTEA, (text) => new Uint8Array(bytes(text))],
  [ARRAYS.int8, each(BigInt)],
  [ARRAYS.date, each(dateOf)],
  [ARRAYS.timestamp, each(dateOf)],
  [ARRAYS.timestamptz, each(dateOf)],
  [ARRAYS.numeric, each(decimal)],
]);

/** The same values as Prisma's. */
export const valueTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/** Dates are sent in UTC, which is correct for columns without a zone. */
export function parameterOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return dateText(value);
  if (Array.isArray(value)) return value.some(isObject) ? value.map(parameterOf) : value;
  return Prisma.Decimal.isDecimal(value) ? value.toString() : value;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** PostgreSQL rejects a sign before years beyond 9999. */
function dateText(date: Date): string {
  return date.toISOString().replace(/^\+0*/, '');
}

let latest = { text: '', at: Number.NaN };

/** `2026-01-31 12:00:00.123456+00` of a session in UTC, without the zone, or only the day. */
function dateOf(text: string): Date {
  // Adjacent values are often equal, because most rows were never updated after their creation.
  if (text !== latest.text) latest = { text, at: millisecondsOf(text) };
  return new Date(latest.at);
}

function millisecondsOf(text: string): number {
  if (text.length <= 10) return Date.parse(text);
  const isZoned = text.endsWith('+00');
  return Date.parse(`${text.slice(0, 10)}T${isZoned ? text.slice(11, -3) : text.slice(11)}Z`);
}
