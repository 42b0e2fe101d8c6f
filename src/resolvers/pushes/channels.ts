/** Words that subscriptions, push tokens and events have in common (gaps §§10, 11). */

export const PUSH_ENVIRONMENTS = ['production', 'development'] as const;
export type PushEnvironment = (typeof PUSH_ENVIRONMENTS)[number];

/** Legacy clients know the first three; e-mail needs no device. */
export const PUSH_CHANNELS = ['apns', 'apns_voip', 'gcm', 'web', 'email'] as const;
export type PushChannel = (typeof PUSH_CHANNELS)[number];

export const DEVICE_PLATFORMS = ['ios', 'android', 'web'] as const;
export type DevicePlatform = (typeof DEVICE_PLATFORMS)[number];

export const isPushEnvironment = oneOf(PUSH_ENVIRONMENTS);
export const isPushChannel = oneOf(PUSH_CHANNELS);
export const isDevicePlatform = oneOf(DEVICE_PLATFORMS);

function oneOf<const Name extends string>(names: readonly Name[]) {
  return (text: string | null | undefined): text is Name => names.includes(text as Name);
}
