import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { openSettings, storePushSettings } from '../../../src/resolvers/pushes/settings.ts';
import { storeIdentityProvider } from '../../../src/resolvers/sessions/identity-providers.ts';
import { isPassword } from '../../../src/resolvers/users/passwords.ts';
import { APPLICATION, ENCRYPTER, running, useApp } from '../../support/app/app.ts';
import { cli } from '../../support/app/cli.ts';
import { startGoogle } from '../../support/fakes/google.ts';
import { createAssistant } from '../../support/fakes/model.ts';
import {
  currentInstallation,
  emptyInstallation,
  envOf,
  type Installation,
  storeArchive,
  writeArchive,
} from '../../support/fixtures/archives.ts';

useApp();

const INSIDE = 'http://127.0.0.1:9';
let archive: string;

beforeAll(async () => {
  const applicationId = APPLICATION.id;
  const services = { encrypter: ENCRYPTER, now: running.now() };
  await createAssistant({ url: `${INSIDE}/v1` });
  await storeIdentityProvider(
    { applicationId, facebook: { appId: '1', appSecret: 's' }, endpoint: INSIDE } as never,
    services,
  );
  const google = await startGoogle(running.now);
  const { serviceAccount } = google;
  await storePushSettings(
    { applicationId, environment: 'production', fcm: { serviceAccount }, endpoint: INSIDE },
    services,
  );
  await google.stop();
  await db.application.update({ where: { id: applicationId }, data: { groups: 'granted', filesByNumber: 'owner' } });
  archive = join(running.dataDir, 'tenant.tar.gz');
  await writeArchive(archive, currentInstallation());
});

async function trustIn({ database }: Installation) {
  const client = new pg.Client(database);
  await client.connect();
  const read = async (text: string) => (await client.query(text)).rows;
  try {
    const [settings] = await read(
      'SELECT application_id AS "applicationId", environment, provider, sealed AS "encryptedSettings" FROM push_settings',
    );
    return {
      assistants: await read('SELECT base_url, is_trusted FROM assistants'),
      providers: await read('SELECT endpoint FROM identity_providers'),
      pushes: openSettings(settings, ENCRYPTER),
      application: await read('SELECT groups, files_by_number FROM applications'),
    };
  } finally {
    await client.end();
  }
}

const GOOGLE = 'https://oauth2.googleapis.com/token';

describe('#53 trust in archives', () => {
  test('an untrusted import drops settings reserved for the operator and reports the affected rows', async () => {
    const place = await emptyInstallation();
    const { untrusted } = await storeArchive(archive, place, { isTrusted: false });
    const { assistants, providers, pushes, application } = await trustIn(place);
    expect(assistants).toEqual([{ base_url: `${INSIDE}/v1`, is_trusted: false }]);
    expect(providers).toEqual([{ endpoint: null }]);
    expect(pushes.endpoint).toBeUndefined();
    expect((pushes.serviceAccount as { token_uri: string }).token_uri).toBe(GOOGLE);
    expect(application).toEqual([{ groups: 'granted', files_by_number: 'owner' }]);
    expect(untrusted.map(({ table }) => table).sort()).toEqual(['assistants', 'identity_providers', 'push_settings']);
  });

  test('a trusted import keeps the settings reserved for the operator', async () => {
    const place = await emptyInstallation();
    const { untrusted } = await storeArchive(archive, place, { isTrusted: true });
    const { assistants, providers, pushes } = await trustIn(place);
    expect([assistants[0].is_trusted, providers[0].endpoint, pushes.endpoint]).toEqual([true, INSIDE, INSIDE]);
    expect(untrusted).toEqual([]);
  });

  test('the import command does not trust archives by default', async () => {
    const place = await emptyInstallation();
    const { stdout } = await cli(envOf(place), '--json', 'import', archive);
    expect(JSON.parse(stdout).untrusted).toHaveLength(3);
  });

  test('isPassword rejects a stored hash that would need gigabytes of memory', async () => {
    const costly =
      '$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$kdvIpJfSkyFxvVxuBWnEaSwiKSyYT6mtvWB8ZbcTCzg';
    expect(await isPassword('password-1', costly)).toBe(false);
  });
});
