/** Each list in the order of the request. */
export interface DeletedItems {
  deletedIds: string[];
  notFoundIds: string[];
  wrongPermissionsIds: string[];
}
