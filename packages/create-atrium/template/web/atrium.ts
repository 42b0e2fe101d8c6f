import { createAtrium } from '@atrium/client';
// Types of the classes in classes.json: run `npm run types` after a change.
import type { Classes } from './atrium-env.d.ts';

export function connect(url: string, applicationId: number) {
  return createAtrium<Classes>({ url, applicationId });
}

export type Backend = ReturnType<typeof connect>;

/** Finds or creates the private dialog with a user. @returns its id */
export async function openPrivate(atrium: Backend, login: string): Promise<string> {
  const { id } = await atrium.users.byLogin(login);
  return (await atrium.chat.openPrivate(id)).id;
}
