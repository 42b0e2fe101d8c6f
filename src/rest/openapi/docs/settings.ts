import { docsOf } from './operation-docs.ts';

export const settingsDocs = docsOf('Settings', {
  findAccountSettings: {
    summary: 'Get service endpoints',
    description: 'Returns the public addresses of the service. Mobile clients request them before anything else.',
    examples: [{}],
  },
});
