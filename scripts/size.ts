// Prints how large the source is, how many files an operation touches, and which exports of shared modules have one user.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TREES = ['src', 'packages', 'examples', 'test', 'bench', 'scripts'];
/** Modules that exist to be shared. */
const SHARED = /^src\/(lib|db|platform)\//;
const NOT_WRITTEN = /(^|\/)(node_modules|dist|generated|locales)\//;

const files = TREES.flatMap((tree) =>
  readdirSync(tree, { recursive: true, encoding: 'utf8' })
    .map((name) => join(tree, name))
    .filter((file) => /\.(m?ts|tsx|mjs|css)$/.test(file) && !NOT_WRITTEN.test(file)),
);
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

const lines = new Map<string, number>();
for (const [file, text] of texts) {
  const count = text.split('\n').length - 1;
  const [tree, folder = '', ...below] = file.split('/');
  for (const key of [tree!, ...(below.length > 0 ? [`${tree}/${folder}`] : [])]) {
    lines.set(key, (lines.get(key) ?? 0) + count);
  }
}
print('Lines', [...lines].sort(), ([folder, count]) => `${String(count).padStart(7)}  ${folder}`);

const [, ...recipes] = readFileSync('docs/recipes.md', 'utf8').split(/^## /m);
const touched = recipes
  .map((recipe) => [recipe.split('\n')[0], recipe.match(/^```diff /gm)?.length ?? 0] as const)
  .filter(([, count]) => count > 0);
print('Files that a change touches by hand (docs/recipes.md)', touched, ([title, count]) => `${count}  ${title}`);

const words = [...texts].map(([file, text]) => [file, new Set(text.match(/[A-Za-z_$][\w$]*/g))] as const);
const exported = [...texts]
  .filter(([file]) => SHARED.test(file))
  .flatMap(([file, text]) =>
    [...text.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)].map(([, name]) => [file, name!] as const),
  );
const usedOnce = exported
  .map(([file, name]) => ({ file, name, users: words.filter(([other, used]) => other !== file && used.has(name)) }))
  .filter(({ users }) => users.filter(([user]) => user.startsWith('src/')).length === 1);
print('Exports of shared modules that one file uses', usedOnce, ({ file, name, users }) => {
  return `${name} (${file}): ${users.find(([user]) => user.startsWith('src/'))![0]}`;
});

function print<Row>(title: string, rows: readonly Row[], line: (row: Row) => string): void {
  process.stdout.write(`${title}: ${rows.length}\n${rows.map((row) => `  ${line(row)}\n`).join('')}\n`);
}
