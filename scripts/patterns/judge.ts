import { checkSync } from 'recheck';
import type { Pattern } from './collect.ts';

/** A pattern that takes more than linear time, on text that is bounded before. */
export interface BoundedPattern {
  file: string;
  /** As it stands in the sources, with flags. */
  literal: string;
  /** Characters of the text; a test enforces it. */
  bound: number;
  reason: string;
}

/** Why patterns are refused, a line each: super-linear, not known before the program runs, or listed in vain. */
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
  return [...problems, ...unused.map(({ file, literal }) => `${file}: ${literal} is listed, but not there`)];
}

const judged = new Map<string, string[]>();

function problemOf(pattern: Pattern): string[] {
  const literal = literalOf(pattern);
  if (literal === undefined) return [`${pattern.place}: build the pattern from constants, so that it can be analysed`];
  if (!judged.has(literal)) judged.set(literal, growthOf(pattern.source!, pattern.flags));
  return judged.get(literal)!.map((growth) => `${pattern.place}: ${literal} ${growth}`);
}

/**
 * Steps are counted by the analyser's own matcher, not measured in time, and its choices have a fixed seed, so the
 * verdict is the same on every machine.
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
