import type { Mailer } from '../mailer.ts';
import { ApnsGateway, apnsSettings } from './apns.ts';
import { FcmGateway, fcmSettings } from './fcm.ts';
import type { PushGateway } from './gateway.ts';
import { MailGateway } from './mail.ts';
import { PushTraffic } from './traffic.ts';
import { endpointProblem, WebPushGateway, webPushSettings } from './web.ts';

/** What an application needs at each provider, operator's parts included; secrets are among it. */
export const pushSettings = { apns: apnsSettings, fcm: fcmSettings, web: webPushSettings };

export type PushProvider = keyof typeof pushSettings;

/** One application's credentials at one provider, as they are stored. */
export interface ProviderAccount {
  applicationId: number;
  environment: 'development' | 'production';
  provider: PushProvider;
  /** Of the settings: others make another gateway. */
  updatedAt: Date;
}

export interface PushGateways {
  /** The gateway of an account, kept with its connections; `settings` are asked for only when there is none yet. */
  of(account: ProviderAccount, settings: () => unknown): PushGateway;
  readonly mail: PushGateway;
  /** What all pushes go through. */
  readonly traffic: PushTraffic;
  /** Whether a browser may name this endpoint. */
  allowsEndpoint(endpoint: string): boolean;
  close(): void;
}

/** Gateways that are kept; the one that was used longest ago goes. */
const MAX_GATEWAYS = 200;

export interface PushGatewaysOptions {
  now: () => Date;
  mailer: Mailer;
  /** Whether browsers' endpoints may lie in private networks. */
  allowsPrivate: boolean;
}

export function createPushGateways({ now, mailer, allowsPrivate }: PushGatewaysOptions): PushGateways {
  const kept = new Map<string, { updatedAt: number; gateway: PushGateway }>();

  const make = (name: string, { provider, environment }: ProviderAccount, settings: unknown): PushGateway => {
    switch (provider) {
      case 'apns':
        return new ApnsGateway(name, apnsSettings.parse(settings), environment, now);
      case 'fcm':
        return new FcmGateway(name, fcmSettings.parse(settings), now);
      case 'web':
        return new WebPushGateway(webPushSettings.parse(settings), allowsPrivate, now);
    }
  };

  return {
    mail: new MailGateway(mailer),
    traffic: new PushTraffic(now),
    allowsEndpoint: (endpoint) => endpointProblem(endpoint, allowsPrivate) === undefined,
    of(account, settings) {
      const key = `${account.provider} ${account.applicationId} ${account.environment}`;
      const updatedAt = account.updatedAt.getTime();
      const known = kept.get(key);
      const gateway = known?.updatedAt === updatedAt ? known.gateway : make(key, account, settings());
      if (known && known.gateway !== gateway) known.gateway.close();
      // The most recently used come last.
      kept.delete(key);
      kept.set(key, { updatedAt, gateway });
      for (const [oldest, { gateway: unused }] of kept) {
        if (kept.size <= MAX_GATEWAYS) break;
        kept.delete(oldest);
        unused.close();
      }
      return gateway;
    },
    close() {
      for (const { gateway } of kept.values()) gateway.close();
      kept.clear();
    },
  };
}
