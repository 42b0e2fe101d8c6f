/** Something about the other server, or about what it gave, that ends the migration; the message is one line for the operator. */
export class MigrationError extends Error {}
