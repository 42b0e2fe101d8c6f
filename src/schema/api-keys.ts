import { DEVELOPER } from '../administration/administrators/rights.ts';
import { ALL_SCOPES, MAX_SCOPES, SCOPE_GROUPS } from '../lib/scopes.ts';
import { MAX_NETWORKS } from '../platform/limits/allowed-networks.ts';
import {
  createApiKey,
  listApiKeys,
  MAX_ACTED_USERS,
  MAX_NAME,
  MAX_OVERLAP_HOURS,
  type NewApiKey as New,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../resolvers/applications/api-keys.ts';
import { builder, type InputFields } from './builder.ts';
import { columns } from './columns.ts';
import { CREATED_AT, listOfNames } from './descriptions.ts';

const ApiKey = builder.prismaObject('ApiKey', {
  description: 'An API key of the application, without the secret, which only `createApiKey` returns.',
  select: columns(
    ...(['applicationId', 'id', 'name', 'scopes', 'actsForAll', 'actsFor', 'actsForRoles', 'networks'] as const),
    ...(['expiresAt', 'lastUsedAt', 'previousExpiresAt', 'createdAt', 'revokedAt'] as const),
  ),
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Id for `revokeApiKey`; not a secret.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    scopes: t.exposeStringList('scopes', {
      description: `What the key may do, such as \`messages:write\`; \`${ALL_SCOPES}\` is everything.`,
    }),
    onBehalfOf: t.field({
      type: ['Int'],
      nullable: true,
      description: 'Ids of the users on behalf of whom the key may act; null: of all users.',
      resolve: ({ actsForAll, actsFor }) => (actsForAll ? null : actsFor),
    }),
    onBehalfOfRoles: t.exposeStringList('actsForRoles', {
      description: 'Roles on behalf of whose users the key may also act, if `onBehalfOf` is not null.',
    }),
    networks: t.exposeStringList('networks', {
      description: 'Networks from which the key may be used; empty: from anywhere.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key expires; null: never.',
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest request with the key, also on behalf of a user; null before the first.',
      resolve: (key, _args, { sessionClock }) => sessionClock.latestUseOf(key),
    }),
    previousExpiresAt: t.expose('previousExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the secret that `rotateApiKey` replaced is valid; null if there is none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of revocation; null while the key is valid.',
    }),
  }),
});

const NewApiKey = builder.objectRef<New>('NewApiKey').implement({
  description: 'A new API key, including the secret.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Id for `revokeApiKey`; not a secret.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    key: t.exposeString('key', {
      description:
        'The secret to send as `Authorization: ApiKey <key>`. Store it now, because the server keeps only a hash.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
  }),
});

const restrictions = (t: InputFields) => ({
  scopes: t.stringList({
    description:
      `What the key may do: 1 to ${MAX_SCOPES} of \`<group>:read\`, \`<group>:write\` and \`<group>:*\`, or \`${ALL_SCOPES}\` alone. ` +
      `Groups are ${listOfNames(SCOPE_GROUPS)}, and \`*\` for all of them. \`records:Car:read\` is limited to one class, ` +
      '`pushes:send` to sending. Keys are managed only by keys without restriction. Null or omitted at creation: everything.',
  }),
  onBehalfOf: t.intList({
    description: `Ids of the users on behalf of whom the key may act, at most ${MAX_ACTED_USERS}; an empty list: of none, null: of all.`,
  }),
  onBehalfOfRoles: t.stringList({
    description: 'Roles on behalf of whose users the key may also act. No effect while `onBehalfOf` is null.',
  }),
  networks: t.stringList({
    description:
      `Networks from which the key may be used, at most ${MAX_NETWORKS}, such as \`203.0.113.0/24\` and \`2001:db8::/64\`. Prefixes of IPv6 ` +
      'have at most 64 bits. Empty or null: from anywhere.',
  }),
  expiresAt: t.field({ type: 'DateTime', description: 'When the key expires, in the future; null: never.' }),
});

const ApiKeyRestrictions = builder.inputType('ApiKeyRestrictions', {
  description: 'Limits of a new API key. Default: none.',
  fields: restrictions,
});

const UpdateApiKeyInput = builder.inputType('UpdateApiKeyInput', {
  description: 'The changes to apply; at least one is required.',
  fields: (t) => ({
    name: t.string({ description: `Display name, 1 to ${MAX_NAME} characters.` }),
    ...restrictions(t),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'keys',
    administrator: { roles: DEVELOPER },
    type: [ApiKey],
    description: 'All API keys of the application, including revoked keys, oldest first.',
    resolve: (selection, _root, _args, { viewer }) => listApiKeys(viewer.applicationId, selection),
  }),
);

builder.mutationField('createApiKey', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'keys',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: NewApiKey,
    description: 'Creates an API key for the application. Invalid values fail with `UNPROCESSABLE`.',
    args: {
      name: t.arg.string({ required: true, description: `Display name, 1 to ${MAX_NAME} characters.` }),
      restrictions: t.arg({ type: ApiKeyRestrictions, description: 'Limits of the key. Default: none.' }),
    },
    resolve: (_root, { name, restrictions }, context) => createApiKey({ ...restrictions, name }, context),
  }),
);

builder.mutationField('updateApiKey', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'keys',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: ApiKey,
    description:
      'Renames an API key or changes its restrictions, and closes all connections opened with it, so that clients ' +
      'connect again with the new ones. Fails with `NOT_FOUND` if the key is unknown or revoked.',
    args: {
      id: t.arg.int({ required: true, description: 'Id of the API key, from `apiKeys`.' }),
      input: t.arg({ type: UpdateApiKeyInput, required: true, description: 'The changes.' }),
    },
    resolve: (selection, _root, { id, input }, context) => updateApiKey(id, input, context, selection),
  }),
);

builder.mutationField('rotateApiKey', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'keys',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: NewApiKey,
    description:
      'Replaces the secret of an API key. The previous secret remains valid during the overlap, so that clients can ' +
      'be changed one by one; the one before it ends at once. Closes all connections opened with the key. Fails with ' +
      '`NOT_FOUND` if the key is unknown or revoked.',
    args: {
      id: t.arg.int({ required: true, description: 'Id of the API key, from `apiKeys`.' }),
      overlapHours: t.arg.int({
        required: true,
        defaultValue: 24,
        description: `Hours for which the previous secret remains valid, 0 to ${MAX_OVERLAP_HOURS}.`,
      }),
    },
    resolve: (_root, { id, overlapHours }, context) => rotateApiKey(id, overlapHours, context),
  }),
);

builder.mutationField('revokeApiKey', (t) =>
  t.withAuth({ key: true }).prismaField({
    scope: 'keys',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: ApiKey,
    description:
      'Revokes an API key and closes all connections opened with it, including those with `On-Behalf-Of`. Fails ' +
      'with `NOT_FOUND` if the key is unknown or already revoked.',
    args: {
      id: t.arg.int({
        required: true,
        description: 'Id of the API key, from `apiKeys`. It may be the key of this request.',
      }),
    },
    resolve: (selection, _root, { id }, context) => revokeApiKey(id, context, selection),
  }),
);
