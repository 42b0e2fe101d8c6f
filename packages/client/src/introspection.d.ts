// In the published package this file is the generated types themselves: the build copies them here.
export type { introspection } from '../../../src/generated/graphql-env.d.ts';
