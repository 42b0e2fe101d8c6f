import { db } from '../../db/client.ts';

export const MAX_NAME = 200;
export const MAX_OCCUPANTS = 10_000;
export const tooManyOccupants = `Too many occupants (maximum is ${MAX_OCCUPANTS})`;

/** What is wrong with a group's name (gaps §5.2). */
export function nameProblems(name: string | null | undefined): string[] {
  if (!name?.trim()) return ["Name can't be blank"];
  return [...name.trimEnd()].length > MAX_NAME ? [`Name is too long (maximum is ${MAX_NAME} characters)`] : [];
}

/** Which of the ids are users of the application. */
export async function existingUsers(applicationId: number, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db.user.findMany({ where: { applicationId, id: { in: ids } }, select: { id: true } });
  return rows.map((row) => row.id);
}
