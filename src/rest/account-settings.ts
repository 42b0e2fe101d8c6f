import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { ok, route } from './http/route.ts';
import { settingsDocs } from './openapi/docs/settings.ts';

const FindAccountSettings = graphql(`query FindAccountSettings {
  accountSettings { accountId apiEndpoint chatEndpoint turnserverEndpoint }
}`);

export const accountSettingsRoutes = [
  route({
    method: 'get',
    path: '/account_settings',
    document: FindAccountSettings,
    variables: () => ({}),
    respond: ({ accountSettings }) =>
      ok({
        account_id: accountSettings.accountId,
        api_endpoint: accountSettings.apiEndpoint,
        chat_endpoint: accountSettings.chatEndpoint,
        turnserver_endpoint: accountSettings.turnserverEndpoint,
      }),
    errors: errorList,
    docs: settingsDocs.findAccountSettings,
  }),
];
