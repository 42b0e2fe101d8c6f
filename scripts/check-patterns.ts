// Fails on regular expressions with super-linear matching time.
import { BOUNDED } from './patterns/bounded.ts';
import { patternsBelow } from './patterns/collect.ts';
import { problemsOf } from './patterns/judge.ts';

const patterns = patternsBelow('src', 'packages/client/src', 'packages/legacy-import/src');
const problems = problemsOf(patterns, BOUNDED);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${patterns.length} patterns, ${problems.length} problems\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
