import type { Session } from '../../generated/prisma/client.ts';

/** Only the holder of the token sees it. */
export type OpenSession = Session & { token: string; expiresAt: Date };
