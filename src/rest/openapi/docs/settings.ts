import { accountSettingsShape } from '../../shapes/settings.ts';
import type { RouteDocs } from './operation-docs.ts';

export const settingsDocs = {
  findAccountSettings: {
    tag: 'Settings',
    summary: 'Get service endpoints',
    description: 'Returns the public addresses of the service. Mobile clients request them before anything else.',
    answer: accountSettingsShape.schema,
    examples: [{}],
  },
} satisfies Record<string, RouteDocs>;
