export { type FragmentOf, graphql } from '../graphql/typed-documents.ts';
