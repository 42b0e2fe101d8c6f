import { type Config, naming } from '../config.ts';
import { connectDatabase, db } from '../db/client.ts';
import { Encrypter } from '../platform/encryption/encrypter.ts';
import { readKeyFile } from '../platform/encryption/key-file.ts';
import { type DatabaseServer, type DatabaseSettings, type OpenOptions, openServer } from './database-server.ts';

export async function openDatabase(config: DatabaseSettings, options: OpenOptions = {}): Promise<DatabaseServer> {
  return connect(await openServer(config, options));
}

/** @returns the server, whose `stop` disconnects first. A failure stops it. */
export async function connect(server: DatabaseServer): Promise<DatabaseServer> {
  try {
    await connectDatabase(server.config);
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

/** The first process creates the key file in `DATA_DIR`. */
export async function createEncrypter({ encryptionKey, dataDir }: Pick<Config, 'encryptionKey' | 'dataDir'>) {
  return new Encrypter(encryptionKey ?? (await readKeyFile(dataDir).catch(naming('ENCRYPTION_KEY, DATA_DIR'))));
}
