import { type DevicePlatform, isDevicePlatform, isPushEnvironment, type PushEnvironment } from '../pushes/channels.ts';

// What may be said of a device and of the provider's name for it (gaps §10).

/** A provider's name of a device as it was given; a browser's is its endpoint with two keys. */
export interface PushTokenInput {
  environment?: string | null;
  clientIdentificationSequence?: string | null;
  bundleIdentifier?: string | null;
  endpoint?: string | null;
  keys?: BrowserKeys | null;
}

/** Base64url, as the browser tells them. */
export interface BrowserKeys {
  p256dh: string;
  auth: string;
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

/**
 * What is wrong with a token, or nothing.
 * @param allowsEndpoint whether pushes may be sent to a browser's endpoint
 */
export function tokenProblems(token: PushTokenInput, allowsEndpoint: (endpoint: string) => boolean): string[] {
  const sequence = sequenceOf(token);
  return [
    ...(isPushEnvironment(token.environment) ? [] : ['Environment should be production or development']),
    ...(sequence !== '' && [...sequence].length <= MAX_SEQUENCE && isBrowserValid(token, allowsEndpoint)
      ? []
      : ['Client identification sequence is not valid']),
    ...((token.bundleIdentifier ?? '').length <= MAX_BUNDLE
      ? []
      : [`Bundle identifier is too long (maximum is ${MAX_BUNDLE} characters)`]),
  ];
}

/** What is wrong with a device, or nothing. */
export function deviceProblems({ platform, udid }: DeviceInput): string[] {
  const text = (udid ?? '').trim();
  return [
    ...(isDevicePlatform(platform) ? [] : ['Device platform is not valid']),
    ...(text === '' ? ["Device udid can't be blank"] : []),
    ...(text.length > MAX_UDID ? [`Device udid is too long (maximum is ${MAX_UDID} characters)`] : []),
  ];
}

/** A token without problems, in the form in which it is kept. */
export function checkedToken(token: PushTokenInput): CheckedToken {
  return {
    environment: token.environment as PushEnvironment,
    sequence: sequenceOf(token),
    keys: token.endpoint && token.keys ? { p256dh: token.keys.p256dh, auth: token.keys.auth } : null,
    bundleIdentifier: token.bundleIdentifier?.trim() || null,
  };
}

/** A device without problems, in the form in which it is kept. */
export function checkedDevice({ platform, udid }: DeviceInput): CheckedDevice {
  return { platform: platform as DevicePlatform, udid: (udid ?? '').trim() };
}

function sequenceOf({ endpoint, clientIdentificationSequence }: PushTokenInput): string {
  return (endpoint ?? clientIdentificationSequence ?? '').trim();
}

/** A browser is reached only with an address and two keys: a point of the curve P-256 and 16 bytes. */
function isBrowserValid({ endpoint, keys }: PushTokenInput, allowsEndpoint: (endpoint: string) => boolean): boolean {
  if (endpoint == null) return true;
  return allowsEndpoint(endpoint.trim()) && bytesOf(keys?.p256dh) === 65 && bytesOf(keys?.auth) === 16;
}

function bytesOf(text: string | undefined): number {
  return /^[\w-]+=*$/.test(text ?? '') ? Buffer.from(text!, 'base64url').length : 0;
}
