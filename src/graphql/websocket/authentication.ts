import { CloseCode } from 'graphql-ws';
import type { Services } from '../../context.ts';
import { isDatabaseUnavailable } from '../../db/failures.ts';
import { readCredentials } from '../../lib/credentials.ts';
import { authenticate } from '../../resolvers/sessions/authenticate.ts';
import { callerOf } from '../../server/observability/requests.ts';
import { followCredentials } from '../follow-credentials.ts';
import { presentError } from '../presented-errors.ts';
import { type Connection, close, isOpen, logOf } from './connections.ts';

const TRY_AGAIN_LATER = 1013;
const TOO_MANY_SOCKETS = 4429;

export class SocketAuthentication {
  readonly #services: Services;
  readonly #tokenHeaders: readonly string[];

  constructor(services: Services, tokenHeaders: readonly string[]) {
    this.#services = services;
    this.#tokenHeaders = tokenHeaders;
  }

  /** @returns false to have graphql-ws close the socket with 4403, unless it is closed here */
  async admit(connection: Connection): Promise<boolean> {
    try {
      return await this.#accept(connection);
    } catch (error) {
      presentError(error, logOf(connection.extra, this.#services));
      // Clients reconnect automatically only after 1013.
      if (isDatabaseUnavailable(error)) close(connection, TRY_AGAIN_LATER, 'Service unavailable');
      else close(connection, CloseCode.InternalServerError, 'Internal server error');
      return false;
    }
  }

  async #accept(connection: Connection): Promise<boolean> {
    const credentials = readCredentials(payloadReader(connection.connectionParams), this.#tokenHeaders);
    const viewer = await authenticate(credentials, this.#services);
    if (viewer.kind === 'anonymous' || viewer.kind === 'refused') return false; // closes with 4403
    connection.extra.caller = callerOf(viewer);
    if (this.#services.rateLimits) {
      const leave = this.#services.rateLimits.connections.take(viewer);
      if (!leave) {
        close(connection, TOO_MANY_SOCKETS, 'Too many sockets');
        return false;
      }
      connection.extra.leave = leave;
      if (!isOpen(connection)) leave();
    }
    if (viewer.kind === 'user') {
      connection.extra.disconnect = this.#services.presence.connect(viewer);
      if (!isOpen(connection)) connection.extra.disconnect();
    }
    connection.extra.credentials = credentials;
    const release = await followCredentials(viewer, this.#services, () =>
      close(connection, CloseCode.Forbidden, 'Forbidden'),
    );
    connection.extra.release = release;
    if (!isOpen(connection)) release();
    else logOf(connection.extra, this.#services).info(connection.extra.caller, 'socket opened');
    return isOpen(connection);
  }
}

/** Header names in the payload of `connection_init` are case-insensitive. */
function payloadReader(payload: Readonly<Record<string, unknown>> | undefined): (name: string) => unknown {
  const values = new Map(Object.entries(payload ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name.toLowerCase());
    return typeof value === 'number' ? String(value) : value;
  };
}
