import { findAccountSettings, type AccountSettings as Settings } from '../resolvers/applications/account-settings.ts';
import { builder } from './builder.ts';

const AccountSettings = builder.objectRef<Settings>('AccountSettings').implement({
  description: 'Where clients find the service.',
  fields: (t) => ({
    accountId: t.exposeInt('accountId', { description: 'Always 1: clients written before ask for it.' }),
    apiEndpoint: t.exposeString('apiEndpoint', { description: 'Public base URL.' }),
    chatEndpoint: t.exposeString('chatEndpoint', { description: 'Public host.' }),
    turnserverEndpoint: t.exposeString('turnserverEndpoint', { description: 'Public host.' }),
  }),
});

builder.queryField('accountSettings', (t) =>
  t.withAuth({ anyone: true }).field({
    type: AccountSettings,
    description: 'Where clients find the service; credentials are ignored.',
    resolve: (_root, _args, context) => findAccountSettings(context),
  }),
);
