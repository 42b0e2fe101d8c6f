import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { rest } from '../../support/clients/rest.ts';
import { linkIn, mailsTo } from '../../support/fixtures/mails.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

useApp({ publicUrl: 'https://api.example.org', resetPageUrl: 'https://app.example.org/de/reset?lang=de#form' });

const reset = (email: string) => rest('GET', `/users/password/reset.json?email=${email}`, { as: apiKey });

test('the reset link starts with RESET_PAGE_URL and keeps its query and fragment', async () => {
  await createUser({ email: 'a@x.io' });
  expect((await reset('a@x.io')).status).toBe(200);
  expect(linkIn((await mailsTo('a@x.io'))[0]!)).toMatch(
    /^https:\/\/app\.example\.org\/de\/reset\?lang=de&reset_token=0000005c[0-9a-f]{32}#form$/,
  );
});

test('a failure to send the mail responds 500 and does not delay the next attempt', async () => {
  await createUser({ email: 'b@x.io' });
  const folder = join(running.dataDir, 'mail');
  await rm(folder, { recursive: true, force: true });
  await writeFile(folder, 'in the way');
  const { status, body } = await reset('b@x.io');
  expect([status, body]).toEqual([500, { errors: ['Internal server error'] }]);
  expect(
    await sql('SELECT FROM password_resets r JOIN users u ON u.id = r.user_id WHERE u.email = $1', ['b@x.io']),
  ).toEqual([]);

  await rm(folder);
  expect((await reset('b@x.io')).status).toBe(200);
  expect((await mailsTo('b@x.io')).length).toBe(1);
});
