// The build replaces this file by the generated types.
export type { introspection } from '../../../src/generated/graphql-env.d.ts';
