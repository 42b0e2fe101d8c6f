import type { Mailer } from '../mailer.ts';
import type { PushGateway } from './gateway.ts';
import type { DeviceToken, PushAccount, PushProvider } from './provider.ts';
import { PUSH_PROVIDERS } from './providers.ts';
import { PushTraffic } from './traffic.ts';

export interface ProviderAccount {
  applicationId: number;
  environment: PushAccount['environment'];
  provider: PushProvider;
  /** A change creates a new gateway. */
  updatedAt: Date;
}

export interface PushGateways {
  of(account: ProviderAccount, settings: () => unknown): PushGateway;
  ofService(provider: PushProvider): PushGateway;
  readonly traffic: PushTraffic;
  acceptsToken(provider: PushProvider, token: DeviceToken): boolean;
  close(): void;
}

const MAX_GATEWAYS = 200;

export interface PushGatewaysOptions {
  now: () => Date;
  mailer: Mailer;
  allowsPrivate: boolean;
}

export function createPushGateways(options: PushGatewaysOptions): PushGateways {
  const kept = new Map<string, { updatedAt: number; gateway: PushGateway }>();
  const ofService = new Map(
    PUSH_PROVIDERS.filter(({ settings }) => settings === undefined).map((provider) => [
      provider,
      provider.connect({ ...options, name: provider.name, settings: undefined, environment: 'production' }),
    ]),
  );

  return {
    traffic: new PushTraffic(options.now),
    ofService: (provider) => ofService.get(provider)!,
    acceptsToken: (provider, token) => provider.isToken?.(token, options) ?? true,
    of({ applicationId, environment, provider, updatedAt: changedAt }, settings) {
      const name = `${provider.name} ${applicationId} ${environment}`;
      const updatedAt = changedAt.getTime();
      const cached = kept.get(name);
      const gateway =
        cached?.updatedAt === updatedAt
          ? cached.gateway
          : provider.connect({ ...options, name, settings: settings(), environment });
      if (cached && cached.gateway !== gateway) cached.gateway.close();
      kept.delete(name);
      kept.set(name, { updatedAt, gateway });
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
