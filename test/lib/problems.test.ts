import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { InvalidFieldsError, UnprocessableError } from '../../src/lib/errors.ts';
import { distinct, inRecord, problem, sentenceOf } from '../../src/lib/problems.ts';
import { REASONS } from '../../src/lib/reasons.ts';
import { LEGACY, legacySentence } from '../../src/rest/legacy-sentences.ts';

const tooLong = problem('MESSAGE_TOO_LONG', { max: 5 });

test('a sentence contains the parameters of its problem, and the number of its record', () => {
  expect(sentenceOf(tooLong)).toBe('Message is too long (maximum is 5 bytes)');
  expect(sentenceOf(inRecord(2, 'PARENT_NOT_FOUND'))).toBe('Record 2: Parent record was not found');
});

test('a parameter that looks like a placeholder is not replaced', () => {
  const given = problem('FILTER_INCORRECT', { filter: '{max} $& {filter}' });
  expect(sentenceOf(given)).toBe('Incorrect filter: {max} $& {filter}');
});

test('equal problems are reported once', () => {
  expect(distinct([tooLong, 'MESSAGE_REQUIRED', problem('MESSAGE_TOO_LONG', { max: 5 })])).toHaveLength(2);
});

test('legacy texts replace the sentences of their reasons only', () => {
  expect(legacySentence(problem('CALCULATION_INCORRECT', { field: 'year' }))).toBe('Incorrect filter: year[calc]');
  expect(legacySentence(tooLong)).toBe(sentenceOf(tooLong));
});

describe('the extensions of an error', () => {
  test('have its reason and parameters', () => {
    const { code, reason, parameters, problems } = new UnprocessableError(tooLong).extensions;
    expect({ code, reason, parameters, problems }).toEqual({
      code: 'UNPROCESSABLE',
      reason: 'MESSAGE_TOO_LONG',
      parameters: { max: 5 },
    });
  });

  test('have all reasons if there are several', () => {
    const { reason, problems } = new UnprocessableError('MESSAGE_REQUIRED', inRecord(3, tooLong)).extensions;
    expect(reason).toBe('MESSAGE_REQUIRED');
    expect(problems).toEqual([
      { reason: 'MESSAGE_REQUIRED' },
      { reason: 'MESSAGE_TOO_LONG', parameters: { max: 5 }, record: 3 },
    ]);
  });

  test('have texts and reasons by field', () => {
    const error = new InvalidFieldsError({ fullName: [problem('TOO_LONG', { max: 255 })], login: ['TAKEN'] });
    expect(error.message).toBe('Full name is too long (maximum is 255 characters), Login has already been taken');
    expect(error.extensions).toMatchObject({
      fields: { fullName: ['is too long (maximum is 255 characters)'], login: ['has already been taken'] },
      reason: 'TOO_LONG',
      field: 'fullName',
      problems: [
        { field: 'fullName', reason: 'TOO_LONG', parameters: { max: 255 } },
        { field: 'login', reason: 'TAKEN' },
      ],
    });
  });
});

test.each(Object.entries(LEGACY))('the legacy text of %s has only parameters of its reason', (reason, text) => {
  const namesIn = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  expect(namesIn(REASONS[reason as keyof typeof REASONS])).toEqual(expect.arrayContaining(namesIn(text)));
});

test('every reason is used', () => {
  const files = ['src', ':!src/lib/reasons.ts', ':!src/rest/legacy-sentences.ts', ':!src/rest/openapi'];
  const sources = execFileSync('git', ['grep', '-hE', "'[A-Z][A-Z_]+'", '--', ...files], { encoding: 'utf8' });
  // The first argument is the code, some of which are also reasons.
  const withoutCodes = sources.replace(/super\('\w+',/g, '').replace(/^ {2}\| '\w+'/gm, '');
  const used = new Set([...withoutCodes.matchAll(/'([A-Z][A-Z_]+)'/g)].map(([, name]) => name));
  expect(Object.keys(REASONS).filter((reason) => !used.has(reason))).toEqual([]);
});
