/** Who is responsible for a change that the audit log records. Changes of users are not recorded. */
export interface Actor {
  kind: 'administrator' | 'apiKey' | 'operator';
  /** Of the administrator or API key. */
  id?: number;
  /** Address of the client. */
  network?: string;
  /** Stated by an administrator. */
  reason?: string | undefined;
}

/** At the command line. */
export const OPERATOR: Actor = { kind: 'operator' };

/** Changes of users, or of one actor, may share a statement. */
export function actorKey(actor: Actor | undefined): string {
  return actor ? JSON.stringify(actor) : '';
}
