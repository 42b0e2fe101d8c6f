import { CloseCode, type Message, MessageType, parseMessage } from 'graphql-ws';
import type { RawData, WebSocket } from 'ws';
import type { Services } from '../../context.ts';
import { SECOND } from '../../lib/time.ts';
import type { SocketAuthentication } from './authentication.ts';
import { connectionOf, MESSAGE_TOO_BIG, type SocketConnection } from './connection.ts';
import { runOperation } from './operations.ts';

const INIT_TIMEOUT_MS = 3 * SECOND;
/** The service answers with the payload. */
const MAX_EARLY_PING_LENGTH = 1024;

/**
 * The server side of `graphql-transport-ws`. Unlike the server of `graphql-ws`, it retains neither messages nor
 * promises while a subscription is idle, and it can send one frame to many sockets.
 * @returns serves a new connection; all sockets share the listeners
 */
export function createProtocol(
  services: Services,
  authentication: SocketAuthentication,
): (connection: SocketConnection) => void {
  async function handle(connection: SocketConnection, message: Message, length: number): Promise<void> {
    switch (message.type) {
      case MessageType.ConnectionInit:
        if (connection.state !== 'open') {
          return connection.close(CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests');
        }
        connection.state = 'initializing';
        connection.stopTimer();
        if (!(await authentication.admit(connection, message.payload))) return;
        return connection.acknowledge();
      case MessageType.Ping:
        if (connection.state !== 'acknowledged' && length > MAX_EARLY_PING_LENGTH) {
          return connection.close(MESSAGE_TOO_BIG, 'Message too big');
        }
        return void connection.send({ type: MessageType.Pong, payload: message.payload || undefined });
      case MessageType.Pong:
        return;
      case MessageType.Subscribe:
        if (connection.state !== 'acknowledged') return connection.close(CloseCode.Unauthorized, 'Unauthorized');
        return runOperation(connection, message.id, message.payload, services);
      case MessageType.Complete:
        return connection.findOperation(message.id)?.cancel();
      default: // only servers send the other types
        connection.close(CloseCode.BadRequest, 'Invalid message received');
    }
  }

  function onMessage(this: WebSocket, data: RawData): void {
    const connection = connectionOf(this);
    connection.heldBytes = 0;
    if (!connection.isOpen) return;
    connection.boundBuffer();
    const text = String(data);
    const message = readMessage(text);
    if (!message) {
      connection.close(CloseCode.BadRequest, 'Invalid message received');
      return;
    }
    handle(connection, message, text.length).catch((error: unknown) => {
      connection.logTo(services).error({ err: error }, 'handling a WebSocket message failed; socket closed with 4500');
      connection.close(CloseCode.InternalServerError, 'Internal server error');
    });
  }

  function onPing(this: WebSocket, data: Buffer): void {
    connectionOf(this).receivedControlFrame(data);
    connectionOf(this).boundBuffer();
  }

  function onPong(this: WebSocket, data: Buffer): void {
    connectionOf(this).receivedControlFrame(data);
  }

  // Invalid or too large frames: `ws` closes with the matching code.
  function onError(this: WebSocket, error: Error): void {
    const log = connectionOf(this).logTo(services);
    log.debug({ err: error }, 'invalid WebSocket frame from a client; socket closed');
  }

  return (connection) => {
    const { socket } = connection;
    socket.connection = connection;
    socket.on('ping', onPing);
    socket.on('pong', onPong);
    socket.on('error', onError);
    connection.limitUntilAcknowledged(INIT_TIMEOUT_MS);
    if (!socket.protocol) return connection.close(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable');
    socket.on('message', onMessage);
  };
}

function readMessage(text: string): Message | undefined {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}
