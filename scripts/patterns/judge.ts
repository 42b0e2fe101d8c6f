import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installTools } from '../tools.ts';
import type { Pattern } from './collect.ts';

/** A super-linear pattern that only receives text of bounded length. */
export interface BoundedPattern {
  file: string;
  /** As in the source, with flags. */
  literal: string;
  /** Maximum length in characters, verified by a test. */
  bound: number;
  reason: string;
}

/** One line per problem: a super-linear or non-constant pattern, or an unused entry of `bounded`. */
export function problemsOf(patterns: Pattern[], bounded: BoundedPattern[]): string[] {
  const listed = new Set<BoundedPattern>();
  const problems = patterns.flatMap((pattern) => {
    const entry = bounded.find(
      ({ file, literal }) => pattern.place.startsWith(`${file}:`) && literal === literalOf(pattern),
    );
    if (entry) listed.add(entry);
    return entry ? [] : problemOf(pattern);
  });
  const unused = bounded.filter((entry) => !listed.has(entry));
  return [...problems, ...unused.map(({ file, literal }) => `${file}: ${literal} is listed, but does not occur`)];
}

/** The part of `recheck` that is used. */
interface Recheck {
  checkSync: (
    source: string,
    flags: string,
    options: { timeout: null; randomSeed: number },
  ) => { status: 'safe' | 'unknown' | 'vulnerable'; complexity: { summary: string }; attack: { pattern: string } };
}

const { checkSync } = createRequire(join(installTools('checks'), 'package.json'))('recheck') as Recheck;

const judged = new Map<string, string[]>();

function problemOf(pattern: Pattern): string[] {
  const literal = literalOf(pattern);
  if (literal === undefined) return [`${pattern.place}: build the pattern from constants, so that it can be analysed`];
  if (!judged.has(literal)) judged.set(literal, growthOf(pattern.source!, pattern.flags));
  return judged.get(literal)!.map((growth) => `${pattern.place}: ${literal} ${growth}`);
}

/**
 * The analyser counts the steps of its own matcher and has a fixed seed, so that the result does not depend on the
 * machine.
 */
function growthOf(source: string, flags: string): string[] {
  const found = checkSync(source, flags, { timeout: null, randomSeed: 1 });
  if (found.status === 'safe') return [];
  if (found.status === 'unknown') return ['cannot be analysed'];
  return [`takes ${found.complexity.summary} time, for example on ${found.attack.pattern}`];
}

function literalOf({ source, flags }: Pattern): string | undefined {
  return source === undefined ? undefined : `/${source}/${flags}`;
}
