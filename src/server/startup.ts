import type pg from 'pg';
import { type Config, naming } from '../config.ts';
import { connectDatabase, db } from '../db/client.ts';
import { homeOf, setReachable } from '../db/shards.ts';
import { Encrypter } from '../platform/encryption/encrypter.ts';
import { readKeyFile } from '../platform/encryption/key-file.ts';
import {
  type Connections,
  type DatabaseServer,
  type DatabaseSettings,
  type OpenOptions,
  openServer,
} from './database-server.ts';

export async function openDatabase(config: DatabaseSettings, options: OpenOptions = {}): Promise<DatabaseServer> {
  return connect(await openServer(config, options));
}

/** @returns the server, whose `stop` disconnects first. A failure stops it. */
export async function connect(server: DatabaseServer): Promise<DatabaseServer> {
  try {
    await connectDatabase(server.config, ...server.others);
    for (const number of server.away) setReachable(number, false);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    ...server,
    async stop() {
      await db.$disconnect();
      await server.stop();
    },
  };
}

/** For work with a session of its own, on the database of one application. */
export async function directOf({ direct, others }: Connections, applicationId: number): Promise<pg.ClientConfig> {
  if (others.length === 0) return direct;
  return [direct, ...others][(await homeOf(applicationId)).number]!;
}

/** Those with applications, or that of one application. */
export async function databasesOf(connections: Connections, applicationId?: number): Promise<pg.ClientConfig[]> {
  if (applicationId !== undefined) return [await directOf(connections, applicationId)];
  return [connections.direct, ...connections.others];
}

/** The first process creates the key file in `DATA_DIR`. */
export async function createEncrypter({ encryptionKey, dataDir }: Pick<Config, 'encryptionKey' | 'dataDir'>) {
  return new Encrypter(encryptionKey ?? (await readKeyFile(dataDir).catch(naming('ENCRYPTION_KEY, DATA_DIR'))));
}
