/** What a disk says that is full, broken or not to be written, and a process that may open no more files. */
const OF_DISK = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** Whether an error is the disk's, rather than of what it was asked for. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && OF_DISK.has(String(error.code));
}
