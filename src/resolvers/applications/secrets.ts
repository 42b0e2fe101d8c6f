import { db } from '../../db/client.ts';
import { DecryptionError, type Encrypter } from '../../server/encryption/encrypter.ts';
import { additionalDataOfApiKey } from '../ai/assistants.ts';
import { additionalDataOfSettings } from '../pushes/settings.ts';
import { additionalDataOfProvider } from '../sessions/identity-providers.ts';

/** @param most rows read per table */
export async function countUndecryptable(
  encrypter: Encrypter,
  { applicationId, most }: { applicationId?: number; most?: number } = {},
): Promise<number> {
  const some = { where: { applicationId }, ...(most === undefined ? {} : { take: most }) };
  const [providers, settings, assistants] = await Promise.all([
    db.identityProvider.findMany(some),
    db.pushSettings.findMany(some),
    db.assistant.findMany(some),
  ]);
  const encrypted: [text: string | null, additionalData: string][] = [
    ...providers.map((row): [string | null, string] => [row.encryptedSecrets, additionalDataOfProvider(row)]),
    ...settings.map((row): [string, string] => [row.encryptedSettings, additionalDataOfSettings(row)]),
    ...assistants.map((row): [string | null, string] => [row.encryptedApiKey, additionalDataOfApiKey(row)]),
  ];
  return encrypted.filter(([text, data]) => text !== null && !isDecryptable(encrypter, text, data)).length;
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
