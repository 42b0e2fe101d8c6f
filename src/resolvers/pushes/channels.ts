import type { PushChannelRules } from '../../gateways/push/provider.ts';
import { CONFIGURED_PROVIDERS, PUSH_PROVIDERS, providerOfChannel } from '../../gateways/push/providers.ts';
import { isStored, readMessage } from '../../gateways/push/stored-message.ts';
import type { PushChannel } from '../../generated/prisma/enums.ts';

export const PUSH_ENVIRONMENTS = ['production', 'development'] as const;
export type PushEnvironment = (typeof PUSH_ENVIRONMENTS)[number];

export const DEVICE_PLATFORMS = ['ios', 'android', 'web'] as const;
export type DevicePlatform = (typeof DEVICE_PLATFORMS)[number];

export const isPushEnvironment = oneOf(PUSH_ENVIRONMENTS);
export const isDevicePlatform = oneOf(DEVICE_PLATFORMS);

export const PUSH_CHANNELS = channels(() => true);
export const USER_CHANNELS = channels(({ isForKeys }) => !isForKeys);
export const KEY_CHANNELS = channels(({ isForKeys }) => isForKeys);
export const DEFAULT_CHANNELS = channels(({ isDefault }) => isDefault);
export const MESSAGE_CHANNELS = channels(({ hasMessages }) => hasMessages);

export const isPushChannel = oneOf(PUSH_CHANNELS);

export { CONFIGURED_PROVIDERS, providerOfChannel };

export function storedMessage(channel: PushChannel, given: string): string {
  return isStored(given) ? given : providerOfChannel(channel).storedMessage(readMessage(given));
}

function channels(suits: (rules: PushChannelRules) => boolean | undefined): readonly PushChannel[] {
  return PUSH_PROVIDERS.flatMap((provider) => Object.entries(provider.channels) as [PushChannel, PushChannelRules][])
    .filter(([, rules]) => suits(rules))
    .map(([channel]) => channel);
}

function oneOf<const Name extends string>(names: readonly Name[]) {
  return (text: string | null | undefined): text is Name => names.includes(text as Name);
}
