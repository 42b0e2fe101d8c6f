import { shape } from './shape.ts';

export const accountSettingsShape = shape('AccountSettings', {
  account_id: 'accountId',
  api_endpoint: 'apiEndpoint',
  chat_endpoint: 'chatEndpoint',
  turnserver_endpoint: 'turnserverEndpoint',
});
