import type { NetConnectOpts } from 'node:net';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../app/database.ts';
import { FaultProxy } from './fault-proxy.ts';

export interface ProxiedDatabase extends TestDatabase {
  proxy: FaultProxy;
}

export async function createProxiedDatabase(): Promise<ProxiedDatabase> {
  const { config, drop } = await createDatabase();
  const { user, password, database } = new pg.Client(config);
  const proxy = await FaultProxy.start(addressOfDatabase(config));
  return {
    proxy,
    config: { host: '127.0.0.1', port: proxy.port, user, password: String(password ?? ''), database },
    drop: async () => {
      await proxy.close();
      await drop();
    },
  };
}

export function addressOfDatabase(config: pg.ClientConfig): NetConnectOpts {
  const { host, port } = new pg.Client(config);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}
