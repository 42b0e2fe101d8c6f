import { createApiKey, listApiKeys, type NewApiKey as New, revokeApiKey } from '../resolvers/applications/api-keys.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { CREATED_AT } from './descriptions.ts';

const ApiKey = builder.prismaObject('ApiKey', {
  description: 'An API key of the application; the key itself is never shown again.',
  select: columns('id', 'name', 'createdAt', 'revokedAt'),
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'By which it is revoked; it is no secret.' }),
    name: t.exposeString('name', { description: 'As its maker called it, to tell keys apart.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it is good.',
    }),
  }),
});

const NewApiKey = builder.objectRef<New>('NewApiKey').implement({
  description: 'An API key that has just been made.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'By which it is revoked; it is no secret.' }),
    name: t.exposeString('name', { description: 'As its maker called it, to tell keys apart.' }),
    key: t.exposeString('key', { description: 'Shown this once.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: [ApiKey],
    description: "The API keys of the key's application, the revoked ones too.",
    resolve: (selection, _root, _args, { viewer }) => listApiKeys(viewer.applicationId, selection),
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
  t.withAuth({ key: true }).prismaField({
    type: ApiKey,
    description: 'Refuses a key from now on and closes what was opened with it, On-Behalf-Of too.',
    args: { id: t.arg.int({ required: true, description: 'As `apiKeys` lists it.' }) },
    resolve: (selection, _root, { id }, context) => revokeApiKey(context.viewer.applicationId, id, context, selection),
  }),
);
