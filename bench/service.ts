import type { Cleanup } from './cleanup.ts';
import { startNode } from './processes.ts';

export const APPLICATION = { id: 1, authKey: 'bench-key', authSecret: 'bench-secret', apiKey: 'bench-api-key' };

export interface ServiceHome {
  databaseUrl: string;
  dataDir: string;
}

export function startService(
  home: ServiceHome,
  cleanup: Cleanup,
  nodeArgs: string[] = [],
  env: Record<string, string> = {},
) {
  const own = { ...environmentOf(home), ...env };
  return startNode([...nodeArgs, '--env-file=production.env', 'dist/main.js'], { env: own, cleanup });
}

export function environmentOf({ databaseUrl, dataDir }: ServiceHome): Record<string, string> {
  return {
    PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    BOOTSTRAP_APPLICATION_ID: String(APPLICATION.id),
    BOOTSTRAP_AUTH_KEY: APPLICATION.authKey,
    BOOTSTRAP_AUTH_SECRET: APPLICATION.authSecret,
    BOOTSTRAP_API_KEY: APPLICATION.apiKey,
  };
}
