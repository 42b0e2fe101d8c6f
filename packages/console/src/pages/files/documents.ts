import { graphql, type ResultOf } from '@atrium/client';

export const FILES = graphql(`query ConsoleFiles($first: Int!, $after: String) {
  blobs(first: $first, after: $after) {
    totalCount
    edges { node { id uid name contentType size public createdAt setCompletedAt } }
    pageInfo { hasNextPage endCursor }
  }
}`);

export const FILE = graphql(`query ConsoleFile($id: Int!) {
  blob(id: $id) { id uid name contentType size public tags url createdAt setCompletedAt }
}`);

export const UPDATE_FILE = graphql(`mutation ConsoleUpdateFile($id: Int!, $input: UpdateBlobInput!) {
  updateBlob(id: $id, input: $input) { id public }
}`);

export const DELETE_FILE = graphql(`mutation ConsoleDeleteFile($id: Int!) { deleteBlob(id: $id) }`);

export type ListedFile = ResultOf<typeof FILES>['blobs']['edges'][number]['node'];
export type FileDetails = ResultOf<typeof FILE>['blob'];
