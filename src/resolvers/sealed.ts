import { db } from '../db/client.ts';
import { SealBrokenError, type Sealer } from '../secrets/sealer.ts';
import { placeOfApiKey } from './assistants.ts';
import { placeOfProvider } from './identity-providers.ts';
import { placeOfSettings } from './push-settings.ts';

/**
 * How many secrets can't be opened, since they were sealed with another key or for another row.
 * @param most rows of each table that are looked at; default: all
 * @param applicationId default: of all applications
 */
export async function countUnopened(
  sealer: Sealer,
  { applicationId, most }: { applicationId?: number; most?: number } = {},
): Promise<number> {
  const some = { where: { applicationId }, ...(most === undefined ? {} : { take: most }) };
  const [providers, settings, assistants] = await Promise.all([
    db.identityProvider.findMany(some),
    db.pushSettings.findMany(some),
    db.assistant.findMany(some),
  ]);
  const sealed: [text: string | null, place: string][] = [
    ...providers.map((row): [string | null, string] => [row.sealed, placeOfProvider(row)]),
    ...settings.map((row): [string, string] => [row.sealed, placeOfSettings(row)]),
    ...assistants.map((row): [string | null, string] => [row.sealedApiKey, placeOfApiKey(row)]),
  ];
  return sealed.filter(([text, place]) => text !== null && !opens(sealer, text, place)).length;
}

function opens(sealer: Sealer, text: string, place: string): boolean {
  try {
    sealer.open(text, place);
    return true;
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    return false;
  }
}
