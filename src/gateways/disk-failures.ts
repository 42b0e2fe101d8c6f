const OF_DISK = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

export function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && OF_DISK.has(String(error.code));
}
