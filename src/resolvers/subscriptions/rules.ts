import type { BrowserKeys } from '../../gateways/push/gateway.ts';
import type { PushGateways } from '../../gateways/push/index.ts';
import type { DeviceToken } from '../../gateways/push/provider.ts';
import { PUSH_PROVIDERS } from '../../gateways/push/providers.ts';
import type { PushChannel } from '../../generated/prisma/enums.ts';
import {
  type DevicePlatform,
  isDevicePlatform,
  isPushEnvironment,
  type PushEnvironment,
  providerOfChannel,
} from '../pushes/channels.ts';

export interface PushTokenInput extends DeviceToken {
  environment?: string | null;
  bundleIdentifier?: string | null;
}

export interface DeviceInput {
  platform?: string | null;
  udid?: string | null;
}

export interface CheckedToken {
  environment: PushEnvironment;
  sequence: string;
  keys: BrowserKeys | null;
  bundleIdentifier: string | null;
}

export interface CheckedDevice {
  platform: DevicePlatform;
  udid: string;
}

export const MAX_SEQUENCE = 4096;
export const MAX_UDID = 255;
export const MAX_BUNDLE = 255;

export function tokenProblems(token: PushTokenInput, isAccepted: (token: DeviceToken) => boolean): string[] {
  const sequence = sequenceOf(token);
  return [
    ...(isPushEnvironment(token.environment) ? [] : ['Environment should be production or development']),
    ...(sequence !== '' && [...sequence].length <= MAX_SEQUENCE && isAccepted(token)
      ? []
      : ['Client identification sequence is not valid']),
    ...((token.bundleIdentifier ?? '').length <= MAX_BUNDLE
      ? []
      : [`Bundle identifier is too long (maximum is ${MAX_BUNDLE} characters)`]),
  ];
}

export function isTokenOf(channels: readonly PushChannel[], pushGateways: PushGateways) {
  const ofChannels = channels.map(providerOfChannel);
  return (token: DeviceToken): boolean =>
    PUSH_PROVIDERS.filter(
      (provider) => ofChannels.includes(provider) || (token.endpoint != null && provider.address === 'endpoint'),
    ).every((provider) => pushGateways.acceptsToken(provider, token));
}

export function deviceProblems({ platform, udid }: DeviceInput): string[] {
  const text = (udid ?? '').trim();
  return [
    ...(isDevicePlatform(platform) ? [] : ['Device platform is not valid']),
    ...(text === '' ? ["Device udid can't be blank"] : []),
    ...(text.length > MAX_UDID ? [`Device udid is too long (maximum is ${MAX_UDID} characters)`] : []),
  ];
}

export function checkedToken(token: PushTokenInput): CheckedToken {
  return {
    environment: token.environment as PushEnvironment,
    sequence: sequenceOf(token),
    keys: token.endpoint && token.keys ? { p256dh: token.keys.p256dh, auth: token.keys.auth } : null,
    bundleIdentifier: token.bundleIdentifier?.trim() || null,
  };
}

export function checkedDevice({ platform, udid }: DeviceInput): CheckedDevice {
  return { platform: platform as DevicePlatform, udid: (udid ?? '').trim() };
}

function sequenceOf({ endpoint, clientIdentificationSequence }: PushTokenInput): string {
  return (endpoint ?? clientIdentificationSequence ?? '').trim();
}
