import { graphql, type ResultOf } from '@atrium/client';
import { hasRole, useMe } from '../../app/administrator.ts';
import { root } from '../../root.ts';

export const FILES = graphql(`query ConsoleFiles($first: Int!, $after: String, $opens: Boolean!) {
  blobs(first: $first, after: $after) {
    totalCount
    edges { node { id name @include(if: $opens) contentType size public createdAt } }
    pageInfo { hasNextPage endCursor }
  }
}`);

export const FILE = graphql(`query ConsoleFile($id: Int!, $opens: Boolean!) {
  blob(id: $id) {
    id contentType size public createdAt setCompletedAt
    uid @include(if: $opens) name @include(if: $opens) tags @include(if: $opens) url @include(if: $opens)
  }
}`);

export const ADDRESS = graphql(`query ConsoleFileAddress($files: [String!]!) {
  fileAddresses(files: $files) { url }
}`);

export const UPDATE_FILE = graphql(`mutation ConsoleUpdateFile($id: Int!, $input: UpdateBlobInput!) {
  updateBlob(id: $id, input: $input) { id public }
}`);

export const DELETE_FILE = graphql(`mutation ConsoleDeleteFile($id: Int!) { deleteBlob(id: $id) }`);

/** Other types may be documents that run scripts. */
export const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/i;

/** Of a download, at the host of the console, because its policy allows no other. */
export function addressOf(url: string): string {
  const { pathname, search } = new URL(url);
  const path = pathname.slice(pathname.lastIndexOf('/blobs/') + 1);
  return new URL(`${path}${search}`, root).href;
}

/** Whether the administrator may see what opens or describes private files, with a reason. */
export function useOpensFiles(application: number): boolean {
  return hasRole(useMe(), ['SUPPORT'], application);
}

export type ListedFile = ResultOf<typeof FILES>['blobs']['edges'][number]['node'];
export type FileDetails = ResultOf<typeof FILE>['blob'];
