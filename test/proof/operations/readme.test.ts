import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { follow } from './follow-guides.ts';
import { stepsOf } from './guide.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const GOING_ON = [
  'docs/sign-in.md',
  'docs/live-events.md',
  'docs/records.md',
  'docs/files.md',
  'docs/contacts-places-models.md',
];

// Start before the first message, so that the output does not depend on when the example connects.
const edit = (command: string) => command.replace(/^USER_ID=2 node examples\/listen.mjs$/, '$& 2');

test(
  'the README and the guides that continue it print the documented output',
  () => follow(['README.md', ...GOING_ON], { edit }),
  600_000,
);

test('the README shows REST, GraphQL and a live subscription', async () => {
  const steps = stepsOf(await readFile(join(ROOT, 'README.md'), 'utf8'));
  const answered = steps.filter(({ answer }) => answer !== undefined).map(({ command }) => command);
  for (const part of ['/chat/Message.json', '/graphql']) {
    expect(answered).toContainEqual(expect.stringContaining(part));
  }
  expect(steps.filter(({ received }) => received !== undefined)).toHaveLength(1);
});
