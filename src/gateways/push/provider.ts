import type { z } from 'zod';
import type { PushProvider as ConfiguredName, PushChannel } from '../../generated/prisma/enums.ts';
import type { FieldErrors } from '../../lib/errors.ts';
import type { Mailer } from '../mailer.ts';
import type { BrowserKeys, PushGateway } from './gateway.ts';
import type { GivenMessage } from './stored-message.ts';

/** All that is known of a push provider; `providers.ts` lists them. */
export type PushProvider = ConfiguredProvider | ServiceProvider;

/** One that each application sets up. */
export interface ConfiguredProvider extends ProviderBase {
  name: ConfiguredName;
  settings: ProviderSettings;
}

/** One that the service itself is set up for. */
interface ServiceProvider extends ProviderBase {
  name: string;
  settings?: undefined;
}

interface ProviderBase {
  /** In the GraphQL schema. */
  description: string;
  /** By their public names. */
  channels: Partial<Record<PushChannel, PushChannelRules>>;
  /** What a device is reached by: a token of the provider, the endpoint and keys of a browser, the user's e-mail. */
  address: 'token' | 'endpoint' | 'email';
  /** Absent: every text is a token. */
  isToken?(token: DeviceToken, options: { allowsPrivate: boolean }): boolean;
  /** The form in which the message of an event is stored. */
  storedMessage(given: GivenMessage): string;
  connect(account: PushAccount): PushGateway;
}

export interface PushChannelRules {
  /** Messages of dialogs are pushed on it. */
  hasMessages?: boolean;
  /** An event that names no channel is sent on it. */
  isDefault?: boolean;
  /** Only API keys send events on it. */
  isForKeys?: boolean;
}

/** A device token as a client gives it; a browser has `endpoint` and `keys` instead of a sequence. */
export interface DeviceToken {
  clientIdentificationSequence?: string | null;
  endpoint?: string | null;
  keys?: BrowserKeys | null;
}

/** Stored encrypted, as one JSON object. */
interface ProviderSettings {
  /** The GraphQL input type: its name and description, and that of the argument that takes it. */
  input: { name: string; description: string; argument: string };
  /** Description of the command that sets it up. */
  command: string;
  /** What the application gives, in the order of the input type and of the command's options. */
  fields: Record<string, PushSetting>;
  /** What only the operator sets, because the service connects from within its own network; and its default. */
  operatorFields: Partial<Record<'endpoint' | 'ca', string>>;
  /** Of the stored settings. */
  schema: z.ZodObject;
  /** What may be shown of them. */
  publicId(settings: Settings): string;
  /** Adds what the service generates; `before` is empty the first time. */
  complete?(given: Settings, before: Settings): Settings;
  /** What only the operator may give. */
  untrustedProblems?(given: Settings): FieldErrors;
  /** Resets what only the operator may set, beside the operator's fields. */
  untrusted?(settings: Settings): Settings;
}

export type Settings = Record<string, unknown>;

export interface PushSetting {
  description: string;
  /** The command's option. */
  flags: string;
  /** The option names a file: the setting is its text, or the JSON in it. */
  file?: 'text' | 'json';
}

/** What a gateway is made from. */
export interface PushAccount {
  /** Unique among the accounts of all applications. */
  name: string;
  settings: unknown;
  environment: 'development' | 'production';
  now: () => Date;
  mailer: Mailer;
  /** The operator lets pushes go to private networks, and without TLS. */
  allowsPrivate: boolean;
}
