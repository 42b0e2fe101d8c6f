import { shown } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';

export const settingsDocs = {
  findAccountSettings: {
    tag: 'Settings',
    summary: 'Where clients find the service',
    answer: shown('AccountSettings', {
      account_id: 'accountId',
      api_endpoint: 'apiEndpoint',
      chat_endpoint: 'chatEndpoint',
      turnserver_endpoint: 'turnserverEndpoint',
    }),
    examples: [{}],
  },
} satisfies Record<string, OperationDocs>;
