import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import ScopeAuthPlugin, { type AuthFailure } from '@pothos/plugin-scope-auth';
import type {
  ActingContext,
  AdministratorContext,
  Context,
  IdentifiedContext,
  TokenContext,
  UserContext,
  UserTokenContext,
} from '../context.ts';
import { db } from '../db/client.ts';
import type PrismaTypes from '../generated/pothos.ts';
import { getDatamodel } from '../generated/pothos.ts';
import { ACCESSES, type Access, isAllowed, refusal } from '../lib/access.ts';
import { ForbiddenError } from '../lib/errors.ts';
import { DEFAULT_PAGE, MAX_PAGE } from '../lib/pagination.ts';
import type { FileContent } from '../resolvers/files/served-file.ts';
import './plugins/rights.ts';
import './plugins/clean-inputs.ts';
import './plugins/fresh-loaders.ts';
import './plugins/observed.ts';
import './plugins/rate-limits.ts';
import './plugins/response-size.ts';

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
    userToken: UserTokenContext;
    user: UserContext;
    userOrKey: ActingContext;
    key: ActingContext;
    administrator: AdministratorContext;
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

/** `schema/index.ts` rejects fields without an `Access`. @param observedAs the name of all operations in metrics */
export function createBuilder({ observedAs }: { observedAs?: string } = {}) {
  const builder = new SchemaBuilder<Types>({
    plugins: [
      'responseSize',
      'observed',
      'rateLimits',
      ScopeAuthPlugin,
      'rights',
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
      firstArgOptions: {
        description:
          `Number of items from the start of the list, or after \`after\`: 1 to ${MAX_PAGE}. Default: ${DEFAULT_PAGE}. Cannot be combined ` +
          'with `last`.',
      },
      lastArgOptions: {
        description: `Number of items from the end of the list, or before \`before\`: 1 to ${MAX_PAGE}. Cannot be combined with \`first\`.`,
      },
      afterArgOptions: { description: 'Only return items after this cursor.' },
      beforeArgOptions: { description: 'Only return items before this cursor.' },
      defaultConnectionTypeOptions: { description: 'A page of a list, with the cursors to fetch other pages.' },
      edgesFieldOptions: { description: 'Items of the page with their cursors, in list order.' },
      pageInfoFieldOptions: { description: 'Cursors of the page, and whether other pages exist.' },
      defaultEdgeTypeOptions: { description: 'An item of a list with its cursor.' },
      nodeFieldOptions: { description: 'The item at this position.' },
      cursorFieldOptions: {
        description:
          'Position of the item. Pass it as `after` or `before`. It remains valid when items are added or removed.',
      },
      pageInfoTypeOptions: { description: 'Cursors of a page, and whether other pages exist.' },
      hasNextPageFieldOptions: { description: 'Whether items follow `endCursor`.' },
      hasPreviousPageFieldOptions: { description: 'Whether items precede `startCursor`.' },
      startCursorFieldOptions: { description: 'Cursor of the first item; null if the page is empty.' },
      endCursorFieldOptions: { description: 'Cursor of the last item; null if the page is empty.' },
    },
    scopeAuth: {
      authorizeOnSubscribe: true,
      authScopes: ({ viewer }) =>
        Object.fromEntries(ACCESSES.map((access) => [access, isAllowed(access, viewer)])) as Record<Access, boolean>,
      unauthorizedError: (_parent, { viewer }, _info, { failure }) =>
        refusal(failedAccess(failure), viewer) ?? new ForbiddenError(),
    },
  });
  builder.queryType({ description: 'Read operations; they change no data.' });
  builder.mutationType({ description: 'Write operations. Several in one request run one after the other.' });
  builder.subscriptionType({
    description: 'Live updates over WebSocket (`graphql-transport-ws`) or server-sent events.',
  });
  return builder;
}

export type Builder = ReturnType<typeof createBuilder>;
export type InputFields = PothosSchemaTypes.InputFieldBuilder<Builder['$inferSchemaTypes'], 'InputObject'>;
export type InterfaceOf<Shape> = PothosSchemaTypes.InterfaceRef<Builder['$inferSchemaTypes'], Shape>;
export type RefOf<Shape> = PothosSchemaTypes.ObjectRef<Builder['$inferSchemaTypes'], Shape>;
export type ObjectFields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<Builder['$inferSchemaTypes'], Parent>;

/** Each class of an application has its own builder (src/schema/typed). */
export const builder = createBuilder();

function failedAccess(failure: AuthFailure): Access {
  if (failure.kind === 'AuthScope') return failure.scope as Access;
  if ('failures' in failure && failure.failures[0]) return failedAccess(failure.failures[0]);
  return 'key';
}
