import { db } from '../../db/client.ts';
import type { PushGateway, PushOutcome } from '../../gateways/push/gateway.ts';
import { DecryptionError } from '../../server/encryption/encrypter.ts';
import { providerOfChannel } from './channels.ts';
import type { PushContext } from './context.ts';
import type { Device } from './devices.ts';
import { openSettings } from './settings.ts';

/** Devices with the same key have the same gateway. */
export const gatewayKeyOf = ({ channel, environment }: Device) => `${environment}/${providerOfChannel(channel).name}`;

/** The way to a device, or why there is none. */
export async function gatewayOf(
  applicationId: number,
  { channel, environment }: Device,
  { pushGateways, encrypter, log }: PushContext,
): Promise<PushGateway | PushOutcome> {
  const provider = providerOfChannel(channel);
  if (!provider.settings) return pushGateways.ofService(provider);
  if (environment === null) return { kind: 'refused', answer: 'the subscription is gone' };
  const key = { applicationId, environment, provider: provider.name };
  const row = await db.pushSettings.findUnique({ where: { applicationId_environment_provider: key } });
  if (!row) return { kind: 'refused', answer: `${provider.name} is not set up for ${environment}` };
  const account = { applicationId, environment, provider, updatedAt: row.updatedAt };
  try {
    return pushGateways.of(account, () => openSettings(row, encrypter));
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    log.error({ err: error }, 'the settings of a push provider can not be decrypted');
    return { kind: 'later', answer: 'its settings can not be read' };
  }
}
