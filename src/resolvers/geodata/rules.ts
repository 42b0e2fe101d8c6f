import { compact, type FieldProblems, type Problem, problem } from '../../lib/problems.ts';

/** Degrees. */
export interface Position {
  latitude: number;
  longitude: number;
}

/** Crosses the date line if `west > east`. */
export interface Rectangle {
  south: number;
  west: number;
  north: number;
  east: number;
}

/** Unvalidated; null is an unreadable value. */
export interface GeodatumInput {
  latitude?: number | null;
  longitude?: number | null;
  status?: string | null;
}

type Point = [x: number, y: number, z: number];

/** Mean radius in metres. */
const EARTH_RADIUS = 6_371_008.8;
export const MAX_STATUS = 1000;

/** Degrees. Smaller values would underflow to 0 in PostgreSQL, which reports an error. */
const NOTHING = 1e-100;

/** Margin for rounding errors of bounds; a millimeter on the ground is 1.6e-10. */
const ROUNDING = 1e-12;

export function geodatumProblems({ latitude, longitude, status }: GeodatumInput): FieldProblems {
  return compact({
    latitude: degreeProblems(latitude, 90),
    longitude: degreeProblems(longitude, 180),
    status: statusProblems(status),
  });
}

export function geodatumChangeProblems({ latitude, longitude, status }: GeodatumInput): FieldProblems {
  return compact({
    latitude: latitude === undefined ? [] : degreeProblems(latitude, 90),
    longitude: longitude === undefined ? [] : degreeProblems(longitude, 180),
    status: statusProblems(status),
  });
}

export function statusText(status: string | null | undefined): string | null {
  return status?.trimEnd() || null;
}

export function clampedDegrees(degrees: number): number {
  return Math.abs(degrees) < NOTHING ? 0 : degrees;
}

export function isPosition({ latitude, longitude }: Position): boolean {
  return degreeProblems(latitude, 90).length === 0 && degreeProblems(longitude, 180).length === 0;
}

export function antipodeOf({ latitude, longitude }: Position): Position {
  return { latitude: -latitude, longitude: longitude > 0 ? longitude - 180 : longitude + 180 };
}

/** Chord length on the unit sphere for a distance on the ground. */
export function chordOf(metres: number): number {
  return 2 * Math.sin(Math.min(metres / EARTH_RADIUS, Math.PI) / 2) + ROUNDING;
}

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

function cosines(from: number, to: number): Range {
  const ends = [Math.cos(from), Math.cos(to)];
  // Extremes are at multiples of π: 1 at even, -1 at odd ones.
  const isBetween = (angle: number) => angle + 2 * Math.PI * Math.ceil((from - angle) / (2 * Math.PI)) <= to;
  return {
    low: isBetween(Math.PI) ? -1 : Math.min(...ends),
    high: isBetween(0) ? 1 : Math.max(...ends),
  };
}

/** `length` is not negative. */
function stretched(length: Range, direction: Range): Range {
  return {
    low: direction.low * (direction.low < 0 ? length.high : length.low),
    high: direction.high * (direction.high > 0 ? length.high : length.low),
  };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function degreeProblems(degrees: number | null | undefined, most: number): Problem[] {
  if (degrees == null || !Number.isFinite(degrees)) return ['NOT_A_NUMBER'];
  if (degrees > most) return [problem('TOO_LARGE', { max: most })];
  return degrees < -most ? [problem('TOO_SMALL', { min: -most })] : [];
}

function statusProblems(status: string | null | undefined): Problem[] {
  const { length } = [...(statusText(status) ?? '')];
  return length > MAX_STATUS ? [problem('TOO_LONG', { max: MAX_STATUS })] : [];
}
