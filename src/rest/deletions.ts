interface Deleted {
  deletedIds: string[];
  notFoundIds: string[];
  wrongPermissionsIds: string[];
}

/** What became of several items that were to be deleted; the third list is there only when it has an id. */
export function presentDeleted({ deletedIds, notFoundIds, wrongPermissionsIds }: Deleted) {
  return {
    SuccessfullyDeleted: { ids: deletedIds },
    NotFound: { ids: notFoundIds },
    ...(wrongPermissionsIds.length > 0 ? { WrongPermissions: { ids: wrongPermissionsIds } } : {}),
  };
}
