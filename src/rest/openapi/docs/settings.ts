import type { RouteDocs } from './operation-docs.ts';

export const settingsDocs = {
  findAccountSettings: {
    tag: 'Settings',
    summary: 'Get service endpoints',
    description: 'Returns the public addresses of the service. Mobile clients request them before anything else.',
    examples: [{}],
  },
} satisfies Record<string, RouteDocs>;
