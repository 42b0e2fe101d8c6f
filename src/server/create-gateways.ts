import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Gateways } from '../context.ts';
import { createStorage } from '../gateways/create-storage.ts';
import { createIdentityVerifiers } from '../gateways/identity.ts';
import { createMailer } from '../gateways/mailer.ts';
import { createModelClient } from '../gateways/model.ts';
import { createPushGateways } from '../gateways/push/index.ts';
import { TokenVerifier } from '../gateways/token-verifier.ts';

/** Connects to other servers on first use. */
export async function createGateways(
  { smtpUrl, mailFrom, dataDir, s3, pushPrivateNetworks, issuerPrivateNetworks }: Config,
  { now, log }: { now: () => Date; log: Logger },
): Promise<Gateways> {
  const mailer = createMailer({ smtpUrl, from: mailFrom, dataDir, now });
  return {
    identities: createIdentityVerifiers({ now, log }),
    tokens: new TokenVerifier({ now, allowsPrivate: issuerPrivateNetworks }),
    mailer,
    storage: await createStorage({ s3, dataDir, log }),
    pushGateways: createPushGateways({ now, mailer, allowsPrivate: pushPrivateNetworks }),
    models: createModelClient(),
  };
}
