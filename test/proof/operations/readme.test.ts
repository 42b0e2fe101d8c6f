import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { follow } from './follow-guides.ts';
import { stepsOf } from './guide.ts';

// The README, and the guides that go on from it: their commands, run as they stand there, give the answers printed there.

const ROOT = resolve(import.meta.dirname, '../../..');

const GOING_ON = [
  'docs/live-events.md',
  'docs/sign-in.md',
  'docs/records.md',
  'docs/files.md',
  'docs/contacts-places-models.md',
];

// From before the first message that it is to hear on, so that it does not matter when it begins to listen.
const edit = (command: string) => command.replace(/^USER_ID=2 node examples\/listen.mjs$/, '$& 2');

test(
  'the README and the guides that go on from it give the answers that are printed in them',
  () => follow(['README.md', ...GOING_ON], { edit }),
  600_000,
);

test('the README shows REST, GraphQL, what is live, and the CLI', async () => {
  const steps = stepsOf(await readFile(join(ROOT, 'README.md'), 'utf8'));
  const answered = steps.filter(({ answer }) => answer !== undefined).map(({ command }) => command);
  for (const part of ['/chat/Message.json', '/graphql', 'cli -- app create']) {
    expect(answered).toContainEqual(expect.stringContaining(part));
  }
  expect(steps.filter(({ heard }) => heard !== undefined)).toHaveLength(1);
});

test('the README, or a guide, names every variable of the configuration', async () => {
  const guides = (await readdir(join(ROOT, 'docs')))
    .map((name) => `docs/${name}`)
    .filter((path) => path.endsWith('.md'));
  const texts = await Promise.all(['README.md', ...guides].map((path) => readFile(join(ROOT, path), 'utf8')));
  const config = await readFile(join(ROOT, 'src/config.ts'), 'utf8');
  const names = [...config.matchAll(/^ {2}([A-Z_]+): /gm)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual([]);
});
