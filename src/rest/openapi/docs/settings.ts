import { accountSettingsShape } from '../../shapes/settings.ts';
import type { OperationDocs } from './operation-docs.ts';

export const settingsDocs = {
  findAccountSettings: {
    tag: 'Settings',
    summary: 'Where clients find the service',
    answer: accountSettingsShape.schema,
    examples: [{}],
  },
} satisfies Record<string, OperationDocs>;
