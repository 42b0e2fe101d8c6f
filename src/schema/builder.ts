import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import type { ActingContext, Context, IdentifiedContext, TokenContext, UserContext } from '../context.ts';
import { db } from '../db/client.ts';
import type PrismaTypes from '../generated/pothos.ts';
import { getDatamodel } from '../generated/pothos.ts';
import { type Access, isAllowed, refusal } from '../lib/access.ts';
import { ForbiddenError } from '../lib/errors.ts';
import type { FileContent } from '../resolvers/files/content.ts';
import './clean-inputs.ts';
import './fresh-loaders.ts';
import './observed.ts';
import './rate-limits.ts';
import './response-size.ts';

/** JSON as clients send it. */
export type JsonInput = object | string | number | boolean | null;

interface Types {
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  AuthScopes: Record<Access, boolean>;
  AuthContexts: {
    anyone: Context;
    session: IdentifiedContext;
    token: TokenContext;
    user: UserContext;
    userOrKey: ActingContext;
    key: ActingContext;
  };
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: JsonInput; Output: unknown };
    SafeInt: { Input: number; Output: number };
    Digits: { Input: string; Output: string };
    Flag: { Input: unknown; Output: boolean };
    FileContent: { Input: never; Output: FileContent };
    UnixTime: { Input: unknown; Output: Date };
    Seconds: { Input: unknown; Output: number };
  };
}

/**
 * Every field of Query, Mutation and Subscription names who may call it: `authScopes` with one `Access`. Without it
 * `schema/index.ts` refuses to build the schema.
 * @param observedAs one name under which all operations are counted
 */
export function createBuilder({ observedAs }: { observedAs?: string } = {}) {
  const builder = new SchemaBuilder<Types>({
    plugins: [
      'responseSize',
      'observed',
      'rateLimits',
      ScopeAuthPlugin,
      RelayPlugin,
      PrismaPlugin,
      'cleanInputs',
      'freshLoaders',
    ],
    defaultFieldNullability: false,
    observedAs,
    prisma: {
      client: () => db,
      dmmf: getDatamodel(),
      exposeDescriptions: true,
      onUnusedQuery: 'error',
    },
    relay: {
      nodeQueryOptions: false,
      nodesQueryOptions: false,
      cursorType: 'String',
      firstArgOptions: { description: 'How many from the beginning, or behind `after`; 1 to 100.' },
      lastArgOptions: { description: 'How many from the end, or before `before`; 1 to 100.' },
      afterArgOptions: { description: 'The cursor behind which the page begins.' },
      beforeArgOptions: { description: 'The cursor before which the page ends.' },
      defaultConnectionTypeOptions: { description: 'One page of a list, and how to get at the others.' },
      edgesFieldOptions: { description: 'What the page holds, in the order of the list.' },
      pageInfoFieldOptions: { description: 'Whether the list goes on, and from where.' },
      defaultEdgeTypeOptions: { description: 'One item of a list with its place in it.' },
      nodeFieldOptions: { description: 'The item itself.' },
      cursorFieldOptions: {
        description: 'Its place: give it as `after` or `before`. It holds whatever comes or goes meanwhile.',
      },
      pageInfoTypeOptions: { description: 'Whether a list goes on beyond its page, and from where.' },
      hasNextPageFieldOptions: { description: 'Whether there is more behind `endCursor`.' },
      hasPreviousPageFieldOptions: { description: 'Whether there is more before `startCursor`.' },
      startCursorFieldOptions: { description: 'Place of the first item; null on an empty page.' },
      endCursorFieldOptions: { description: 'Place of the last item; null on an empty page.' },
    },
    scopeAuth: {
      authorizeOnSubscribe: true,
      authScopes: ({ viewer }) => ({
        anyone: isAllowed('anyone', viewer),
        session: isAllowed('session', viewer),
        token: isAllowed('token', viewer),
        user: isAllowed('user', viewer),
        userOrKey: isAllowed('userOrKey', viewer),
        key: isAllowed('key', viewer),
      }),
      unauthorizedError: (_parent, { viewer }, _info, { failure }) =>
        refusal(failedAccess(failure), viewer) ?? new ForbiddenError(),
    },
  });
  builder.queryType({ description: 'What can be asked; nothing is changed by it.' });
  builder.mutationType({ description: 'What can be done. Several in one request are done one after the other.' });
  builder.subscriptionType({
    description: 'What can be listened to: over WebSocket (`graphql-transport-ws`), or as server-sent events.',
  });
  return builder;
}

export type Builder = ReturnType<typeof createBuilder>;

/** The builder of the service's own schema; classes of applications have one each (src/schema/typed). */
export const builder = createBuilder();

function failedAccess(failure: AuthFailure): Access {
  if (failure.kind === 'AuthScope') return failure.scope as Access;
  if ('failures' in failure && failure.failures[0]) return failedAccess(failure.failures[0]);
  return 'key';
}
