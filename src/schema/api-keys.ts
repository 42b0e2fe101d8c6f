import { DEVELOPER } from '../administration/administrators/rights.ts';
import {
  createApiKey,
  listApiKeys,
  MAX_NAME,
  type NewApiKey as New,
  revokeApiKey,
} from '../resolvers/applications/api-keys.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { CREATED_AT } from './descriptions.ts';

const ApiKey = builder.prismaObject('ApiKey', {
  description: 'An API key of the application, without the secret, which only `createApiKey` returns.',
  select: columns('id', 'name', 'createdAt', 'revokedAt'),
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Id for `revokeApiKey`; not a secret.' }),
    name: t.exposeString('name', { description: 'Display name, given at creation.' }),
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
    name: t.exposeString('name', { description: 'Display name, given at creation.' }),
    key: t.exposeString('key', {
      description:
        'The secret to send as `Authorization: ApiKey <key>`. Store it now, because the server keeps only a hash.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.withAuth({ key: true }).prismaField({
    administrator: { roles: DEVELOPER },
    type: [ApiKey],
    description: 'All API keys of the application, including revoked keys, oldest first.',
    resolve: (selection, _root, _args, { viewer }) => listApiKeys(viewer.applicationId, selection),
  }),
);

builder.mutationField('createApiKey', (t) =>
  t.withAuth({ key: true }).field({
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: NewApiKey,
    description: 'Creates an API key for the application. An invalid name fails with `UNPROCESSABLE`.',
    args: { name: t.arg.string({ required: true, description: `Display name, 1 to ${MAX_NAME} characters.` }) },
    resolve: (_root, { name }, context) => createApiKey(name, context),
  }),
);

builder.mutationField('revokeApiKey', (t) =>
  t.withAuth({ key: true }).prismaField({
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
