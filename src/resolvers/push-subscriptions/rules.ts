import type { BrowserKeys } from '../../gateways/push/gateway.ts';
import type { PushGateways } from '../../gateways/push/index.ts';
import type { DeviceToken } from '../../gateways/push/provider.ts';
import { PUSH_PROVIDERS } from '../../gateways/push/providers.ts';
import type { PushChannel } from '../../generated/prisma/enums.ts';
import { type Problem, problem, when } from '../../lib/problems.ts';
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

export function tokenProblems(token: PushTokenInput, isAccepted: (token: DeviceToken) => boolean): Problem[] {
  const sequence = sequenceOf(token);
  return [
    ...when(!isPushEnvironment(token.environment), 'TOKEN_ENVIRONMENT_INVALID'),
    ...when(sequence === '' || [...sequence].length > MAX_SEQUENCE || !isAccepted(token), 'PUSH_TOKEN_INVALID'),
    ...when((token.bundleIdentifier ?? '').length > MAX_BUNDLE, problem('BUNDLE_TOO_LONG', { max: MAX_BUNDLE })),
  ];
}

export function isTokenOf(channels: readonly PushChannel[], pushGateways: PushGateways) {
  const ofChannels = channels.map(providerOfChannel);
  return (token: DeviceToken): boolean =>
    PUSH_PROVIDERS.filter(
      (provider) => ofChannels.includes(provider) || (token.endpoint != null && provider.address === 'endpoint'),
    ).every((provider) => pushGateways.acceptsToken(provider, token));
}

export function deviceProblems({ platform, udid }: DeviceInput): Problem[] {
  const text = (udid ?? '').trim();
  return [
    ...when(!isDevicePlatform(platform), 'PLATFORM_INVALID'),
    ...when(text === '', 'UDID_REQUIRED'),
    ...when(text.length > MAX_UDID, problem('DEVICE_UDID_TOO_LONG', { max: MAX_UDID })),
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
