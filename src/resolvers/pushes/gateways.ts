import { db } from '../../db/client.ts';
import type { PushGateway, PushOutcome } from '../../gateways/push/gateway.ts';
import { DecryptionError } from '../../platform/encryption/encrypter.ts';
import { providerOfChannel } from './channels.ts';
import type { PushContext } from './context.ts';
import type { Device } from './devices.ts';
import { openSettings } from './settings.ts';

export const gatewayKeyOf = ({ channel, environment }: Device) => `${environment}/${providerOfChannel(channel).name}`;

export async function gatewayOf(
  applicationId: number,
  { channel, environment }: Device,
  { pushGateways, encrypter, log }: PushContext,
): Promise<PushGateway | PushOutcome> {
  const provider = providerOfChannel(channel);
  if (!provider.settings) return pushGateways.ofService(provider);
  if (environment === null) return { kind: 'refused', answer: 'the subscription was deleted' };
  const key = { applicationId, environment, provider: provider.name };
  const row = await db.pushSettings.findUnique({ where: { applicationId_environment_provider: key } });
  if (!row) return { kind: 'refused', answer: `${provider.name} is not set up for ${environment}` };
  const account = { applicationId, environment, provider, updatedAt: row.updatedAt };
  try {
    return pushGateways.of(account, () => openSettings(row, encrypter));
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    log.error({ err: error }, 'cannot decrypt the settings of a push provider; has ENCRYPTION_KEY changed?');
    return { kind: 'later', answer: 'cannot decrypt the settings of the provider' };
  }
}
