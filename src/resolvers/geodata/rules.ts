import type { FieldErrors } from '../../lib/errors.ts';

/** A place on the earth, in degrees. */
export interface Position {
  latitude: number;
  longitude: number;
}

/** From its south-west to its north-east corner; a west that lies east of the east means across the date line. */
export interface Rectangle {
  south: number;
  west: number;
  north: number;
  east: number;
}

/** What may be given of a place, before it is checked; null is what could not be read. */
export interface GeodatumInput {
  latitude?: number | null;
  longitude?: number | null;
  status?: string | null;
}

/** A point of the sphere with the radius 1. */
type Point = [x: number, y: number, z: number];

/** Mean radius of the earth in metres. */
const EARTH_RADIUS = 6_371_008.8;
export const MAX_STATUS = 1000;

/** Of degrees: far less than an atom on the ground. PostgreSQL does not compute with what it has to round to 0. */
const NOTHING = 1e-100;

/** Makes up for what rounding takes from a bound: a millimetre on the ground is 1.6e-10. */
const ROUNDING = 1e-12;

/** Texts of the rules that a new place breaks, by field in the order of the record. */
export function geodatumProblems({ latitude, longitude, status }: GeodatumInput): FieldErrors {
  return compact({
    latitude: degreeProblems(latitude, 90),
    longitude: degreeProblems(longitude, 180),
    status: statusProblems(status),
  });
}

/** The same for a change, which leaves as it is what is not given. */
export function geodatumChangeProblems({ latitude, longitude, status }: GeodatumInput): FieldErrors {
  return compact({
    latitude: latitude === undefined ? [] : degreeProblems(latitude, 90),
    longitude: longitude === undefined ? [] : degreeProblems(longitude, 180),
    status: statusProblems(status),
  });
}

/** A status as it is kept: user texts are trimmed at the end, and an empty one is none. */
export function statusText(status: string | null | undefined): string | null {
  return status?.trimEnd() || null;
}

/** Degrees that can be computed with. */
export function clampedDegrees(degrees: number): number {
  return Math.abs(degrees) < NOTHING ? 0 : degrees;
}

/** Whether the earth has such a place. */
export function isPosition({ latitude, longitude }: Position): boolean {
  return degreeProblems(latitude, 90).length === 0 && degreeProblems(longitude, 180).length === 0;
}

/** The place on the other side of the earth: what is far from one is near the other. */
export function antipodeOf({ latitude, longitude }: Position): Position {
  return { latitude: -latitude, longitude: longitude > 0 ? longitude - 180 : longitude + 180 };
}

/** The straight way, on the sphere with the radius 1, between places that are so many metres apart on the ground. */
export function chordOf(metres: number): number {
  return 2 * Math.sin(Math.min(metres / EARTH_RADIUS, Math.PI) / 2) + ROUNDING;
}

/** The smallest box around all the rectangle's points of the sphere with the radius 1. */
export function boxAround({ south, west, north, east }: Rectangle): { low: Point; high: Point } {
  const [bottom, top, left] = [south, north, west].map(radians) as [number, number, number];
  const right = radians(east < west ? east + 360 : east);
  const far = Math.max(Math.cos(bottom), Math.cos(top));
  const fromAxis = { low: Math.min(Math.cos(bottom), Math.cos(top)), high: south <= 0 && north >= 0 ? 1 : far };
  const x = stretched(fromAxis, cosines(left, right));
  const y = stretched(fromAxis, cosines(left - Math.PI / 2, right - Math.PI / 2));
  return {
    low: [x.low - ROUNDING, y.low - ROUNDING, Math.sin(bottom) - ROUNDING],
    high: [x.high + ROUNDING, y.high + ROUNDING, Math.sin(top) + ROUNDING],
  };
}

interface Range {
  low: number;
  high: number;
}

/** All cosines of the angles between two, the second the larger one. */
function cosines(from: number, to: number): Range {
  const ends = [Math.cos(from), Math.cos(to)];
  // Cosines are extreme at the multiples of half a turn: 1 at the even ones, -1 at the odd ones.
  const isBetween = (angle: number) => angle + 2 * Math.PI * Math.ceil((from - angle) / (2 * Math.PI)) <= to;
  return {
    low: isBetween(Math.PI) ? -1 : Math.min(...ends),
    high: isBetween(0) ? 1 : Math.max(...ends),
  };
}

/** All products of the two, of which the first is not negative. */
function stretched(length: Range, direction: Range): Range {
  return {
    low: direction.low * (direction.low < 0 ? length.high : length.low),
    high: direction.high * (direction.high > 0 ? length.high : length.low),
  };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function degreeProblems(degrees: number | null | undefined, most: number): string[] {
  if (degrees == null || !Number.isFinite(degrees)) return ['is not a number'];
  if (degrees > most) return [`must be less than or equal to ${most}`];
  return degrees < -most ? [`must be greater than or equal to -${most}`] : [];
}

function statusProblems(status: string | null | undefined): string[] {
  const { length } = [...(statusText(status) ?? '')];
  return length > MAX_STATUS ? [`is too long (maximum is ${MAX_STATUS} characters)`] : [];
}

function compact(problems: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(problems).filter(([, texts]) => texts.length > 0));
}
