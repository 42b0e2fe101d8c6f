import { described, text } from '../openapi/docs/schemas.ts';
import { shape } from './shape.ts';

export const accountSettingsShape = shape('AccountSettings', {
  account_id: 'accountId',
  api_endpoint: 'apiEndpoint',
  chat_endpoint: 'chatEndpoint',
  turnserver_endpoint: ['turnserverEndpoint', described(text, 'Public host name, without port.')],
});
