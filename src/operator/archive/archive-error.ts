/** The message is for the operator. */
export class ArchiveError extends Error {}
