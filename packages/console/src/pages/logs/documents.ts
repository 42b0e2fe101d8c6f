import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';

export const REQUESTS = graphql(`query ConsoleRequests(
  $filter: RequestLogFilter, $orderBy: RequestLogOrder, $first: Int!, $after: String
) {
  requestLog(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    cursor
    skippedCount
    edges { node {
      id at requestId transport method route path operation fields status durationMs isSlow caller userId apiKeyId
      administratorId className errors { message }
    } }
    pageInfo { hasNextPage endCursor }
  }
}`);

export const REQUEST_LOGGED = graphql(`subscription ConsoleRequestLogged($filter: RequestLogFilter, $since: String) {
  requestLogged(filter: $filter, since: $since) {
    cursor
    request {
      id at requestId transport method route path operation fields status durationMs isSlow caller userId apiKeyId
      administratorId className errors { message }
    }
  }
}`);

/** All rows of one request id: one of a request, several of a socket. */
export const DETAILS = graphql(`query ConsoleRequestDetails($requestId: String!) {
  requestLog(filter: { requestId: $requestId }, first: 20) {
    edges { node {
      id at requestId host pid transport method route path operation fields status httpStatus durationMs isSlow isCutOff
      caller userId apiKeyId administratorId sessionId network userAgent responseBytes className missingIndex
      errors { message code path }
    } }
    pageInfo { hasNextPage }
  }
}`);

export type LoggedRequest = ResultOf<typeof REQUESTS>['requestLog']['edges'][number]['node'];
export type RequestDetails = ResultOf<typeof DETAILS>['requestLog']['edges'][number]['node'];

export const TRANSPORTS = {
  REST: 'REST',
  GRAPHQL: t`GraphQL`,
  WEBSOCKET: t`WebSocket`,
  XMPP: t`Chat (XMPP)`,
  PAGE: t`Page`,
} as const;
export const CALLERS = {
  ANONYMOUS: t`No credentials`,
  REFUSED: t`Refused credentials`,
  SESSION: t`Application session`,
  USER: t`User`,
  API_KEY: t`API key`,
  ADMINISTRATOR: t`Administrator`,
} as const;

/** `GET /users/:id`, or what was requested over a socket. */
export function titleOf({ method, route, path, operation, fields, transport }: LoggedRequest | RequestDetails): string {
  const what = operation ?? fields[0];
  if (transport === 'WEBSOCKET') return what === undefined ? t`Socket refused` : what;
  const address = transport === 'GRAPHQL' && what !== undefined ? what : (path ?? route);
  return [method, address].filter(Boolean).join(' ');
}

export function callerOf({ caller, userId, apiKeyId, administratorId }: LoggedRequest | RequestDetails): string {
  const ids = { USER: userId, API_KEY: apiKeyId, ADMINISTRATOR: administratorId } as Record<string, number | null>;
  const id = ids[caller];
  const name = id == null ? CALLERS[caller] : `${CALLERS[caller]} ${id}`;
  return caller !== 'USER' && userId !== null ? t`${name} as user ${userId}` : name;
}

export function durationOf(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
