import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../../support/app/compiled-source.ts';
import { createDataDir, startService } from '../../support/app/service.ts';
import { API_KEY, rest } from '../../support/fixtures/legacy-data.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

test('the migration guide moves an application as documented', async () => {
  const folders = [await createDataDir(), await createDataDir()] as const;
  const bootstrap = { BOOTSTRAP_APPLICATION_ID: '92', BOOTSTRAP_API_KEY: API_KEY };
  const old = await startService(folders[0].dataDir, bootstrap);
  // The service already has an application; `app create` creates the one of the guide.
  const own = await startService(folders[1].dataDir, { TOKEN_HEADERS: 'Legacy-Token,SVC-Token' });
  onTestFinished(async () => {
    await Promise.all([old.stop(), own.stop()]);
    for (const folder of folders) await folder.remove();
  });
  for (const login of ['alice', 'bob']) {
    const user = { login, password: 'password-1' };
    expect((await rest(old.url, 'POST', '/users.json', { user })).status).toBe(201);
  }
  const body = { recipient_id: 1, message: 'Lunch?' };
  expect((await rest(old.url, 'POST', '/chat/Message.json', body, 2)).status).toBe(201);

  const guide = await readFile(join(ROOT, 'docs/moving-a-legacy-client.md'), 'utf8');
  const commands = [...guide.matchAll(/```sh\n([\s\S]*?)\n```/g)].flatMap((match) => match[1]!.split('\n'));
  expect(commands.length).toBeGreaterThan(8);
  const script = commands
    .map((command) =>
      command
        .replace('npm run --silent cli --', `node ${program('cli')}`)
        .replace('https://old.example.org', old.url)
        .replace('the-api-key-of-the-old-server', API_KEY),
    )
    // The output of the first command contains the key for the last ones.
    .map((command, index) =>
      index === 0
        ? `CREATED=$(${command}); KEY=$(node -p "JSON.parse(process.argv[1]).apiKey" "$CREATED")`
        : `${command}; echo`,
    );
  const env = { ...process.env, DATA_DIR: own.dataDir, URL: own.url };
  const { stdout } = await run('bash', ['-ec', script.join('\n')], { cwd: ROOT, env });

  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const [settings, dialogs, unread] = lines.map((line) => JSON.parse(line));
  expect(settings).toMatchObject({ api_endpoint: own.url });
  expect(dialogs).toMatchObject({ total_entries: 1, items: [{ last_message: 'Lunch?', unread_messages_count: 1 }] });
  expect(unread).toEqual({ total: 1 });
  expect(stdout.match(/^messages +1$/gm)).toHaveLength(3);
}, 600_000);
