import { graphql, type ResultOf } from '@atrium/client';

export const ASSISTANTS = graphql(`query ConsoleAssistants {
  assistants { id name baseUrl model hasApiKey instructions updatedAt }
}`);

export type Assistant = ResultOf<typeof ASSISTANTS>['assistants'][number];
