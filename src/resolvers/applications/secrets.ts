import { additionalDataOfTotp } from '../../administration/administrators/totp.ts';
import { db } from '../../db/client.ts';
import { fromReachable } from '../../db/shards.ts';
import { DecryptionError, type Encrypter } from '../../platform/encryption/encrypter.ts';
import { additionalDataOfApiKey } from '../ai/assistants.ts';
import { additionalDataOfSettings } from '../pushes/settings.ts';
import { additionalDataOfProvider } from '../sessions/identity-providers.ts';

interface Selected {
  /** Null: secrets of administrators. Undefined: all secrets. */
  applicationId?: number | null;
  /** Rows read per table. Default: all. */
  most?: number;
}

type Encrypted = [text: string | null, additionalData: string];

export async function countUndecryptable(
  encrypter: Encrypter,
  { applicationId, most }: Selected = {},
): Promise<number> {
  const take = most === undefined ? {} : { take: most };
  const [ofApplications, ofAdministrators] = await Promise.all([
    applicationId === null ? [] : secretsOfApplications({ where: { applicationId }, ...take }),
    typeof applicationId === 'number' ? [] : secretsOfAdministrators(take),
  ]);
  const encrypted = [...ofApplications, ...ofAdministrators];
  return encrypted.filter(([text, data]) => text !== null && !isDecryptable(encrypter, text, data)).length;
}

async function secretsOfApplications(some: {
  where: { applicationId: number | undefined };
  take?: number;
}): Promise<Encrypted[]> {
  const [providers, settings, assistants] = await Promise.all([
    fromReachable(() => db.identityProvider.findMany(some)),
    fromReachable(() => db.pushSettings.findMany(some)),
    fromReachable(() => db.assistant.findMany(some)),
  ]);
  return [
    ...providers.map((row): Encrypted => [row.encryptedSecrets, additionalDataOfProvider(row)]),
    ...settings.map((row): Encrypted => [row.encryptedSettings, additionalDataOfSettings(row)]),
    ...assistants.map((row): Encrypted => [row.encryptedApiKey, additionalDataOfApiKey(row)]),
  ];
}

async function secretsOfAdministrators(take: { take?: number }): Promise<Encrypted[]> {
  const rows = await db.administrator.findMany({ where: { encryptedTotp: { not: null } }, ...take });
  return rows.map(({ id, encryptedTotp }) => [encryptedTotp, additionalDataOfTotp(id)]);
}

function isDecryptable(encrypter: Encrypter, text: string, additionalData: string): boolean {
  try {
    encrypter.decrypt(text, additionalData);
    return true;
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    return false;
  }
}
