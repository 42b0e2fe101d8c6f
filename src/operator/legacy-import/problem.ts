/** Ends the migration; the message is one line for the operator. */
export class MigrationError extends Error {}
