import type { Logger } from 'pino';
import { createSetupLink } from '../administration/administrators/links.ts';
import { type Config, naming } from '../config.ts';
import type { ApplicationCredentials } from '../resolvers/applications/create.ts';
import { createGateways } from './create-gateways.ts';
import { admit, type DatabaseServer } from './database-server.ts';
import { type App, type AppDependencies, startApp } from './lifecycle.ts';
import { credentialsFile, prepare } from './prepare.ts';
import { connect, createEncrypter } from './startup.ts';

interface Options extends Pick<AppDependencies, 'peers' | 'entrances'> {
  config: Config;
  log: Logger;
  /** Whether it prepares the database, which one of several workers does. Default: true. */
  isFirst?: boolean;
  /** Receives the path of the file that contains them. Called before anything else can fail, because the secrets cannot be displayed again. */
  onFirstApplication: (credentials: ApplicationCredentials, file: string) => void;
}

/** @returns the app, which stops the database server after itself; a failure stops it, too */
export async function serve(
  server: DatabaseServer,
  { config, log, isFirst = true, peers, entrances, onFirstApplication }: Options,
): Promise<App> {
  const database = await connect(server);
  try {
    const encrypter = await createEncrypter(config);
    const credentials = isFirst ? await prepare(config, encrypter, log) : undefined;
    if (credentials) onFirstApplication(credentials, credentialsFile(config));
    const now = () => new Date();
    const app = await startApp({
      config,
      drainSeconds: config.drainSeconds,
      database: database.config,
      directDatabase: database.direct,
      otherDatabases: database.others,
      away: database.away,
      admitDatabase: (number) => admit(database, number),
      now,
      log,
      encrypter,
      ...(await createGateways(config, { now, log })),
      peers,
      entrances,
    }).catch(naming(listeningVariables(config, entrances), ['listen', 'bind', 'getaddrinfo']));
    return { ...app, stop: () => app.stop().finally(() => database.stop()) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

function listeningVariables({ consolePort, xmpp }: Config, entrances: Options['entrances']): string {
  const ports = { CONSOLE_PORT: consolePort, XMPP_WEBSOCKET_PORT: xmpp?.websocketPort, XMPP_PORT: xmpp?.tcpPort };
  const used = Object.entries(ports).flatMap(([name, port]) => (port === undefined ? [] : [name]));
  return ['HOST', ...(entrances ? [] : ['PORT']), ...used].join(', ');
}

/** Lines for the terminal, with a link to create the first administrator as long as there is none. */
export async function describe({ url, services }: App, { isConsoleOn }: Config): Promise<string[]> {
  const [publicUrl, consoleUrl] = [services.publicUrl(), services.consoleUrl()];
  const lines = publicUrl === url ? [] : [`listening at ${url}`];
  lines.push(`atrium is ready at ${publicUrl}`);
  if (isConsoleOn) {
    const link = await createSetupLink(services);
    lines.push(link ? `console (valid for 15 minutes): ${link}` : `console: ${consoleUrl}`);
  }
  return lines;
}
