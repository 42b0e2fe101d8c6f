interface Deleted {
  deletedIds: string[];
  notFoundIds: string[];
  wrongPermissionsIds: string[];
}

export function presentDeleted({ deletedIds, notFoundIds, wrongPermissionsIds }: Deleted) {
  return {
    SuccessfullyDeleted: { ids: deletedIds },
    NotFound: { ids: notFoundIds },
    ...(wrongPermissionsIds.length > 0 ? { WrongPermissions: { ids: wrongPermissionsIds } } : {}),
  };
}
