import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApns } from '../../support/fakes/apns.ts';
import { startBrowser } from '../../support/fakes/browser.ts';
import { startGoogle } from '../../support/fakes/google.ts';
import { follow } from './follow-guides.ts';

test(
  'docs/tutorials/first-ten-minutes.md prints the documented output',
  () => follow(['docs/tutorials/first-ten-minutes.md']),
  0,
);

test('docs/permissions.md prints the documented output', () => follow(['docs/permissions.md']), 0);

test('docs/restricted-keys.md prints the documented output', () => follow(['docs/restricted-keys.md']), 0);

test('docs/roles.md prints the documented output', () => follow(['docs/roles.md']), 0);

test('docs/contacts-and-blocks.md prints the documented output', () => follow(['docs/contacts-and-blocks.md']), 0);

test(
  'docs/own-tokens.md prints the documented output',
  () => follow(['docs/own-tokens.md'], { env: { ISSUER_PRIVATE_NETWORKS: 'on' } }),
  0,
);

test('docs/password-reset.md prints the documented output', () => follow(['docs/password-reset.md']), 0);

test('docs/push-credentials.md prints the documented output, with fake providers', async () => {
  const [apple, google, browser] = await Promise.all([startApns(), startGoogle(() => new Date()), startBrowser()]);
  onTestFinished(() => Promise.all([apple.down(), google.stop(), browser.stop()]).then(() => {}));
  const files = await mkdtemp(join(tmpdir(), 'atrium-keys-'));
  onTestFinished(() => rm(files, { recursive: true }));
  const [key, ca, account] = ['key.p8', 'ca.pem', 'account.json'].map((name) => join(files, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(key, apple.settings.key);
  await writeFile(ca, apple.settings.ca);
  await writeFile(account, JSON.stringify(google.serviceAccount));
  const { endpoint, topic, teamId, keyId } = apple.settings;
  await follow(['docs/push-credentials.md'], {
    env: { PUSH_PRIVATE_NETWORKS: 'on' },
    edit: (command) =>
      command
        .replace('--key-file AuthKey_ABC123DEFG.p8', `--key-file ${key} --endpoint ${endpoint} --ca-file ${ca}`)
        .replace('--topic com.example.chat', `--topic ${topic}`)
        .replace('--team-id TEAM123456', `--team-id ${teamId}`)
        .replace('--key-id ABC123DEFG', `--key-id ${keyId}`)
        .replace('service-account.json', `${account} --endpoint ${google.url}`)
        .replace(/'\{"endpoint":"https:.*\}'/, `'${JSON.stringify(browser.subscription('bob'))}'`),
  });
  expect(apple.pushes).toHaveLength(1);
  expect(google.pushes).toHaveLength(1);
  expect(browser.pushes).toHaveLength(1);
}, 600_000);
