import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, naming } from '../config.ts';
import type { Encrypter } from '../platform/encryption/encrypter.ts';
import { type ApplicationCredentials, bootstrapApplication } from '../resolvers/applications/create.ts';
import { countUndecryptable } from '../resolvers/applications/secrets.ts';
import { encryptIdentityProviders } from '../resolvers/sessions/identity-providers.ts';

/** Per kind of secret. A sample suffices, because a wrong key fails on every secret. */
const SECRETS_TRIED = 10;

/** Work on the open database that one process does. @returns the credentials of the first application, if it was created */
export async function prepare(
  config: Config,
  encrypter: Encrypter,
  log: Logger,
): Promise<ApplicationCredentials | undefined> {
  const credentials = await bootstrap(config);
  await encryptIdentityProviders(encrypter);
  await warnIfKeyChanged(encrypter, log);
  return credentials;
}

export const credentialsFile = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'credentials.json');

/**
 * Creates the first application of an empty database. Its secrets are written to a file before the transaction commits,
 * because they cannot be displayed again.
 */
function bootstrap(config: Config): Promise<ApplicationCredentials | undefined> {
  const { applicationId: id, ...secrets } = config.bootstrap;
  const first = { id, name: 'first', publicSignIn: true, ...secrets };
  return bootstrapApplication(first, new Date(), (created) =>
    storeCredentials(created, credentialsFile(config)).catch(naming('DATA_DIR')),
  );
}

async function storeCredentials(credentials: ApplicationCredentials, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}

/** Only a warning, because everything that needs no secrets still works. */
async function warnIfKeyChanged(encrypter: Encrypter, log: Logger): Promise<void> {
  const count = await countUndecryptable(encrypter, { most: SECRETS_TRIED });
  if (count > 0) log.warn({ count }, 'ENCRYPTION_KEY cannot decrypt existing secrets; has it changed?');
}
