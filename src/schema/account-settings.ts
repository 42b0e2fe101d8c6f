import { findAccountSettings, type AccountSettings as Settings } from '../resolvers/applications/account-settings.ts';
import { builder } from './builder.ts';

const AccountSettings = builder.objectRef<Settings>('AccountSettings').implement({
  description: 'Addresses of the service.',
  fields: (t) => ({
    accountId: t.exposeInt('accountId', { description: 'Always 1; exists because legacy clients request it.' }),
    apiEndpoint: t.exposeString('apiEndpoint', {
      description: 'Public base URL of the API, for example `https://api.example.com`.',
    }),
    chatEndpoint: t.exposeString('chatEndpoint', {
      description: 'Domain of the live chat of legacy clients, without port.',
    }),
    turnserverEndpoint: t.exposeString('turnserverEndpoint', {
      description: 'Host of `apiEndpoint`, without port.',
    }),
  }),
});

builder.queryField('accountSettings', (t) =>
  t.withAuth({ anyone: true }).field({
    type: AccountSettings,
    description: 'Addresses of the service. Needs no credentials, and ignores invalid ones.',
    resolve: (_root, _args, context) => findAccountSettings(context),
  }),
);
