/** Ids by what became of them, each in the order given. */
export interface DeletedItems {
  deletedIds: string[];
  notFoundIds: string[];
  wrongPermissionsIds: string[];
}
