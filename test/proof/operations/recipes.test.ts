import { execFile } from 'node:child_process';
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const NOT_COPIED = /^(node_modules|\.git|dist|dist-test-.*|coverage)$/;

const [, ...recipes] = (await readFile(join(ROOT, 'docs/recipes.md'), 'utf8')).split(/^## /m);
const withCommands = recipes.filter((recipe) => recipe.includes('```sh'));

test('docs/recipes.md changes a field, an operation with an endpoint and a push provider', () => {
  expect(withCommands.map((recipe) => recipe.split('\n')[0])).toEqual([
    'Add a field',
    'Add an operation with an endpoint',
    'Add a push provider',
  ]);
});

test.each(withCommands.map((recipe) => [recipe.split('\n')[0], recipe] as const))(
  'docs/recipes.md: the change "%s" compiles and does what it promises',
  async (_title, recipe) => {
    const copy = await copyOfSource();
    const fences = [...recipe.matchAll(/^```(\S+) ?(\S*)\n([\s\S]*?)\n```$/gm)];
    for (const [, , file, text] of fences.filter(([, language]) => language === 'diff')) {
      await change(join(copy, file!), text!);
    }
    const commands = fences.filter(([, language]) => language === 'sh').flatMap(([, , , text]) => text!.split('\n'));
    expect(commands.length).toBeGreaterThanOrEqual(3);
    for (const command of commands) await run(command, copy);
  },
);

/** Packages are links to those of this repository, except the workspaces, whose links are relative. */
async function copyOfSource(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'recipe-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  await cp(ROOT, copy, { recursive: true, filter: (path) => path === ROOT || !NOT_COPIED.test(basename(path)) });
  await linkPackages(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (name.startsWith('@')) await linkPackages(source, target);
    else await symlink((await lstat(source)).isSymbolicLink() ? await readlink(source) : source, target);
  }
}

/** Replaces the lines with ` ` and `-` by those with ` ` and `+`. A file with added lines only is new. */
async function change(file: string, diff: string): Promise<void> {
  const lines = (text: string, signs: string) =>
    text
      .split('\n')
      .filter((line) => signs.includes(line[0]!))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  if (lines(diff, ' -') === '') {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, lines(diff, '+'), { flag: 'wx' });
    return;
  }
  let text = `\n${await readFile(file, 'utf8')}`;
  for (const hunk of diff.split('\n@@\n')) {
    const before = `\n${lines(hunk, ' -')}`;
    expect(text.split(before).length - 1, `occurrences in ${file} of ${before}`).toBe(1);
    text = text.replace(before, () => `\n${lines(hunk, ' +')}`);
  }
  await writeFile(file, text.slice(1));
}

async function run(command: string, cwd: string): Promise<void> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST$)/.test(name));
  const options = { cwd, env: Object.fromEntries(inherited), maxBuffer: 2 ** 26 };
  await promisify(execFile)('bash', ['-c', command], options).catch(({ stdout, stderr }) => {
    throw new Error(`${command} failed:\n${stdout}\n${stderr}`);
  });
}
