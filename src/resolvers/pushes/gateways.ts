import { db } from '../../db/client.ts';
import type { PushGateway, PushOutcome } from '../../gateways/push/gateway.ts';
import type { PushProvider } from '../../gateways/push/index.ts';
import { DecryptionError } from '../../server/encryption/encrypter.ts';
import type { PushChannel } from './channels.ts';
import type { PushContext } from './context.ts';
import type { Device } from './devices.ts';
import { openSettings } from './settings.ts';

const PROVIDERS: Record<Exclude<PushChannel, 'email'>, PushProvider> = {
  apns: 'apns',
  apns_voip: 'apns',
  gcm: 'fcm',
  web: 'web',
};

/** Devices with the same key have the same gateway. */
export const gatewayKeyOf = ({ channel, environment }: Device) =>
  `${environment}/${PROVIDERS[channel as 'apns'] ?? ''}`;

/** The way to a device, or why there is none. */
export async function gatewayOf(
  applicationId: number,
  { channel, environment }: Device,
  { pushGateways, encrypter, log }: PushContext,
): Promise<PushGateway | PushOutcome> {
  if (channel === 'email') return pushGateways.mail;
  if (environment === null) return { kind: 'refused', answer: 'the subscription is gone' };
  const provider = PROVIDERS[channel];
  const account = { applicationId, environment, provider };
  const row = await db.pushSettings.findUnique({ where: { applicationId_environment_provider: account } });
  if (!row) return { kind: 'refused', answer: `${provider} is not set up for ${environment}` };
  try {
    return pushGateways.of({ ...account, updatedAt: row.updatedAt }, () => openSettings(row, encrypter));
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    log.error({ err: error }, 'the settings of a provider of pushes can not be read');
    return { kind: 'later', answer: 'its settings can not be read' };
  }
}
