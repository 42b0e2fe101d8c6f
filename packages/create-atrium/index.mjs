#!/usr/bin/env node
// npm create atrium my-chat
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = 'usage: npm create atrium <folder>';
/** Files that may be in the folder, such as those of a repository that was just created. */
const HARMLESS = ['.git', '.gitattributes', '.idea', '.vscode', 'LICENSE'];
/** npm omits files named `.gitignore` from packages. */
const RENAMED = { _gitignore: '.gitignore' };
const TEMPLATE = join(import.meta.dirname, 'template');

const { positionals, values } = readArguments();
if (values.help) exit(USAGE, 0, process.stdout);
if (positionals.length !== 1) exit(USAGE, 2);

const folder = resolve(positionals[0]);
const name = basename(folder)
  .toLowerCase()
  .replaceAll(/[^a-z0-9-~._]+/g, '-')
  .replace(/^[._-]+/, '');
if (!name) exit(`create-atrium: ${basename(folder)} is not a name for a package`, 2);
if (existsSync(folder) && readdirSync(folder).some((file) => !HARMLESS.includes(file)))
  exit(`create-atrium: ${folder} is not empty`);

mkdirSync(folder, { recursive: true });
cpSync(TEMPLATE, folder, { recursive: true });
for (const [from, to] of Object.entries(RENAMED)) renameSync(join(folder, from), join(folder, to));
fill('package.json');
fill('README.md');
fill('web/index.html');

const path = relative(process.cwd(), folder);
const steps = [path && `cd ${path.includes(' ') ? `"${path}"` : path}`, 'npm install', 'npm run dev'];
process.stdout.write(
  `Created ${name} in ${folder}. Continue with:\n\n${steps.map((step) => step && `  ${step}\n`).join('')}`,
);

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } });
  } catch (error) {
    return exit(`create-atrium: ${error.message}\n${USAGE}`, 2);
  }
}

/** Replaces the name of the project and the version of Atrium, which all its packages share. */
function fill(file) {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
  const text = readFileSync(join(folder, file), 'utf8');
  writeFileSync(join(folder, file), text.replaceAll('my-atrium-app', name).replaceAll('0.0.0-atrium', `^${version}`));
}

function exit(text, code = 1, output = process.stderr) {
  output.write(`${text}\n`);
  process.exit(code);
}
