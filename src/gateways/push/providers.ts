import type { PushChannel } from '../../generated/prisma/enums.ts';
import { apns } from './apns.ts';
import { email } from './email.ts';
import { fcm } from './fcm.ts';
import type { ConfiguredProvider, PushProvider } from './provider.ts';
import { web } from './web.ts';

export const PUSH_PROVIDERS: readonly PushProvider[] = [apns, fcm, web, email];

export const CONFIGURED_PROVIDERS: readonly ConfiguredProvider[] = PUSH_PROVIDERS.filter(
  (provider) => provider.settings !== undefined,
);

const byChannel = new Map(
  PUSH_PROVIDERS.flatMap((provider) => Object.keys(provider.channels).map((channel) => [channel, provider] as const)),
);

export function providerOfChannel(channel: PushChannel): PushProvider {
  return byChannel.get(channel)!;
}
