import type { Session } from '../../generated/prisma/client.ts';
/** A session together with the token that opens it; only the caller who holds the token ever sees one. */
export type OpenSession = Session & { token: string; expiresAt: Date };
