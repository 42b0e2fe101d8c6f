import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { settingsDocs } from './openapi/docs/settings.ts';
import { accountSettingsShape } from './shapes/settings.ts';

const FindAccountSettings = graphql(`query FindAccountSettings { accountSettings { ...AccountSettingsFields } }`, [
  accountSettingsShape,
]);

export const accountSettingsRoutes = [
  route({
    method: 'get',
    path: '/account_settings',
    document: FindAccountSettings,
    shape: accountSettingsShape,
    docs: settingsDocs.findAccountSettings,
  }),
];
