import { createApiKey, listApiKeys, type NewApiKey as New, revokeApiKey } from '../resolvers/api-keys.ts';
import { builder } from './builder.ts';

const ApiKey = builder.prismaObject('ApiKey', {
  description: 'An API key of the application; the key itself is never shown again.',
  fields: (t) => ({
    id: t.exposeInt('id'),
    name: t.exposeString('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
  }),
});

const NewApiKey = builder.objectRef<New>('NewApiKey').implement({
  description: 'An API key that has just been made.',
  fields: (t) => ({
    id: t.exposeInt('id'),
    name: t.exposeString('name'),
    key: t.exposeString('key', { description: 'Shown this once.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.withAuth({ key: true }).field({
    type: [ApiKey],
    description: "The API keys of the key's application, the revoked ones too.",
    resolve: (_root, _args, { viewer }) => listApiKeys(viewer.applicationId),
  }),
);

builder.mutationField('createApiKey', (t) =>
  t.withAuth({ key: true }).field({
    type: NewApiKey,
    description: "Makes another API key for the key's application.",
    args: { name: t.arg.string({ required: true, description: 'At most 255 characters.' }) },
    resolve: (_root, { name }, context) => createApiKey(context.viewer.applicationId, name, context),
  }),
);

builder.mutationField('revokeApiKey', (t) =>
  t.withAuth({ key: true }).field({
    type: ApiKey,
    description: 'Refuses a key from now on and closes what was opened with it, On-Behalf-Of too.',
    args: { id: t.arg.int({ required: true }) },
    resolve: (_root, { id }, context) => revokeApiKey(context.viewer.applicationId, id, context),
  }),
);
