/** What is wrong with an archive, or with storing it here; its message is for the operator. */
export class ArchiveError extends Error {}
