import { AtriumError } from '@atrium/client';
import type { Labels } from './labels.ts';

/**
 * @param refused for wrong credentials, and for devices that fail
 * @returns undefined for a person who closed the dialog of the browser, which is no mistake
 */
export function sentenceOf(error: unknown, labels: Labels, refused?: string): string | undefined {
  if (!(error instanceof AtriumError)) {
    if (!(error instanceof DOMException)) throw error;
    return error.name === 'NotAllowedError' ? undefined : refused;
  }
  if (error.code === 'UNREACHABLE') return labels.serviceUnreachable;
  if (error.code === 'CONFIRMATION_REQUIRED') return labels.signInAgain;
  const isRefusal = error.code === 'UNAUTHENTICATED' || error.code === 'UNPROCESSABLE';
  return isRefusal && refused !== undefined ? refused : error.message;
}
