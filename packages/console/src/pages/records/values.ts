import { t } from '@lingui/core/macro';
import { membersOf } from '../../ui/json.ts';
import type { Field, FieldType } from './documents.ts';

export const TYPE_NAMES: Record<FieldType, string> = {
  STRING: t`Text`,
  INTEGER: t`Integer`,
  FLOAT: t`Number`,
  BOOLEAN: t`True or false`,
  DATE: t`Date and time`,
  LOCATION: t`Location`,
  FILE: t`File`,
};

/** How a value is typed, for the hint of its input. */
export const FORMATS: Record<FieldType, string> = {
  STRING: '',
  INTEGER: t`For example 42`,
  FLOAT: t`For example 1.5`,
  BOOLEAN: t`true or false`,
  DATE: t`For example 2026-11-23T18:00:00Z`,
  LOCATION: t`Latitude, longitude: 52.5, 13.4`,
  FILE: t`Files are uploaded by clients`,
};

export class InvalidValueError extends Error {}

/** The text of a value in a cell or an input; empty for null. */
export function textOf(value: unknown, { type, array }: Pick<Field, 'type' | 'array'>): string {
  if (value === null || value === undefined) return '';
  if (array) return JSON.stringify(value);
  if (type === 'LOCATION' && Array.isArray(value)) return value.join(', ');
  if (type === 'FILE') return String(membersOf(value).name ?? 'file');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Empty text is null. @throws {InvalidValueError} */
export function parseValue(text: string, { type, array }: Pick<Field, 'type' | 'array'>): unknown {
  if (text.trim() === '') return null;
  if (array) return listOf(text);
  switch (type) {
    case 'INTEGER':
    case 'FLOAT':
      return numberOf(text, type);
    case 'BOOLEAN':
      return booleanOf(text);
    case 'DATE':
      return dateOf(text);
    case 'LOCATION':
      return locationOf(text);
    default:
      return text;
  }
}

function listOf(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // reported below
  }
  throw new InvalidValueError(t`Enter a list in JSON, for example ["a", "b"].`);
}

function numberOf(text: string, type: 'INTEGER' | 'FLOAT'): number {
  const number = Number(text);
  if (!Number.isFinite(number)) throw new InvalidValueError(t`Enter a number.`);
  if (type === 'INTEGER' && !Number.isSafeInteger(number)) throw new InvalidValueError(t`Enter a whole number.`);
  return number;
}

function booleanOf(text: string): boolean {
  const lower = text.trim().toLowerCase();
  if (lower !== 'true' && lower !== 'false') throw new InvalidValueError(t`Enter true or false.`);
  return lower === 'true';
}

function dateOf(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidValueError(t`Enter a date, for example 2026-11-23, or a time, for example 2026-11-23T18:00Z.`);
  return time.toISOString();
}

function locationOf(text: string): number[] {
  const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (parts.length !== 2 || !parts.every(Number.isFinite)) throw new InvalidValueError(t`Enter latitude, longitude.`);
  return parts;
}
