import type { z } from 'zod';
import type { PushProvider as ConfiguredName, PushChannel } from '../../generated/prisma/enums.ts';
import type { FieldProblems } from '../../lib/problems.ts';
import type { Mailer } from '../mailer.ts';
import type { BrowserKeys, PushGateway } from './gateway.ts';
import type { ReadMessage } from './stored-message.ts';

export type PushProvider = ConfiguredProvider | ServiceProvider;

export interface ConfiguredProvider extends ProviderBase {
  name: ConfiguredName;
  settings: ProviderSettings;
}

interface ServiceProvider extends ProviderBase {
  name: string;
  settings?: undefined;
}

interface ProviderBase {
  description: string;
  channels: Partial<Record<PushChannel, PushChannelRules>>;
  address: 'token' | 'endpoint' | 'email';
  /** Absent: accepts every token. */
  isToken?(token: DeviceToken, options: { allowsPrivate: boolean }): boolean;
  storedMessage(given: ReadMessage): string;
  connect(account: PushAccount): PushGateway;
}

export interface PushChannelRules {
  hasMessages?: boolean;
  isDefault?: boolean;
  /** Only API keys may send events on it. */
  isForKeys?: boolean;
}

/** Browsers send `endpoint` and `keys` instead of a sequence. */
export interface DeviceToken {
  clientIdentificationSequence?: string | null;
  endpoint?: string | null;
  keys?: BrowserKeys | null;
}

/** Stored encrypted, as one JSON object. */
interface ProviderSettings {
  /** `argument` describes the argument that has this type. */
  input: { name: string; description: string; argument: string };
  command: string;
  /** In the order of the input type and of the command's options. */
  fields: Record<string, PushSetting>;
  /** Set only by the operator, because the service connects from inside its network. Each value names the default. */
  operatorFields: Partial<Record<'endpoint' | 'ca', string>>;
  schema: z.ZodObject;
  publicId(settings: Settings): string;
  /** Adds generated values; `before` is empty the first time. */
  complete?(given: Settings, before: Settings): Settings | Promise<Settings>;
  untrustedProblems?(given: Settings): FieldProblems;
  untrusted?(settings: Settings): Settings;
}

export type Settings = Record<string, unknown>;

export interface PushSetting {
  description: string;
  flags: string;
  /** The CLI option is a path; the setting is the file's text or parsed JSON. */
  file?: 'text' | 'json';
}

export interface PushAccount {
  name: string;
  settings: unknown;
  environment: 'development' | 'production';
  now: () => Date;
  mailer: Mailer;
  allowsPrivate: boolean;
}
