import { CloseCode } from 'graphql-ws';
import type { Services } from '../../context.ts';
import { isDatabaseUnavailable } from '../../db/failures.ts';
import { isKnown } from '../../lib/access.ts';
import { readCredentials } from '../../lib/credentials.ts';
import { TooManyStreamsError, UnauthenticatedError } from '../../lib/errors.ts';
import { goOnline } from '../../resolvers/blocks/last-seen.ts';
import { authenticate } from '../../resolvers/sessions/authenticate.ts';
import { withAdministrator } from '../console-cookie.ts';
import { followCredentials } from '../follow-credentials.ts';
import { presentError } from '../presented-errors.ts';
import type { SocketConnection } from './connection.ts';
import { drain } from './drain.ts';
import { recordRefusedSocket } from './recording.ts';

const TRY_AGAIN_LATER = 1013;
const TOO_MANY_SOCKETS = 4429;

export class SocketAuthentication {
  readonly #services: Services;
  readonly #tokenHeaders: readonly string[];

  constructor(services: Services, tokenHeaders: readonly string[]) {
    this.#services = services;
    this.#tokenHeaders = tokenHeaders;
  }

  /** Closes the socket if it is refused. */
  async admit(connection: SocketConnection, payload: Record<string, unknown> | undefined): Promise<boolean> {
    try {
      const isAdmitted = await this.#accept(connection, payload);
      if (!isAdmitted) connection.close(CloseCode.Forbidden, 'Forbidden'); // no effect on a closed socket
      return isAdmitted;
    } catch (error) {
      const presented = presentError(error, connection.logTo(this.#services));
      recordRefusedSocket(connection, presented, undefined, this.#services);
      // Clients reconnect automatically only after 1013.
      if (isDatabaseUnavailable(error)) connection.close(TRY_AGAIN_LATER, 'Service unavailable');
      else connection.close(CloseCode.InternalServerError, 'Internal server error');
      return false;
    }
  }

  async #accept(connection: SocketConnection, payload: Record<string, unknown> | undefined): Promise<boolean> {
    const read = payloadReader(payload);
    const credentials = withAdministrator(readCredentials(read, this.#tokenHeaders), connection.consolePage, read);
    const network = this.#services.networkOf(connection.request);
    const viewer = await authenticate(credentials, network, this.#services);
    if (!isKnown(viewer)) {
      const reason = viewer.kind === 'refused' ? viewer.reason : new UnauthenticatedError('TOKEN_REQUIRED');
      recordRefusedSocket(connection, reason, viewer, this.#services);
      return false;
    }
    connection.viewer = viewer;
    if (this.#services.rateLimits) {
      const leave = this.#services.rateLimits.connections.take(viewer, network);
      if (!leave) {
        connection.close(TOO_MANY_SOCKETS, 'Too many sockets');
        recordRefusedSocket(connection, new TooManyStreamsError(), viewer, this.#services);
        return false;
      }
      connection.onClosed(leave);
    }
    // Others who act as the user must not make them appear online, which would also stop pushes to their devices.
    if (viewer.kind === 'user' && viewer.session) connection.onClosed(goOnline(viewer, this.#services));
    connection.credentials = credentials;
    const release = await followCredentials(viewer, this.#services, ({ isMoved }) =>
      isMoved ? void drain(connection) : connection.close(CloseCode.Forbidden, 'Forbidden'),
    );
    connection.onClosed(release);
    if (connection.isOpen) connection.logTo(this.#services).info(connection.caller, 'socket opened');
    return connection.isOpen;
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
