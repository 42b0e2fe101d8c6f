import { AtriumError } from '@atrium/client';
import type { Labels } from './labels.ts';

/** @param refused for wrong credentials */
export function sentenceOf(error: unknown, labels: Labels, refused?: string): string {
  if (!(error instanceof AtriumError)) throw error;
  if (error.code === 'UNREACHABLE') return labels.serviceUnreachable;
  const isRefusal = error.code === 'UNAUTHENTICATED' || error.code === 'UNPROCESSABLE';
  return isRefusal && refused !== undefined ? refused : error.message;
}
