import { Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { inSearchTurn } from '../../db/search-turns.ts';
import { jobOwnerOf, type UserViewer } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { isStringId } from '../../lib/string-ids.ts';
import { type ClassDefinition, classNamed } from '../classes/catalogue.ts';
import { type Grants, isForbidden, isGranted, isOpen, type Permission, permissionOf } from '../classes/grants.ts';
import { HELD_GRANTS } from '../users/granted-tags.ts';
import { allows, creating, readable } from './access.ts';

export type ExplainedAction = 'create' | 'read' | 'update' | 'delete';

export type RecordRule = 'CLASS_CLOSED' | 'OWNER' | 'OPEN' | 'NAMED_USER' | 'GROUP' | 'ROLE' | 'NOT_GRANTED';

export interface RecordDecision {
  isAllowed: boolean;
  rule: RecordRule;
  /** Group or role, as permissions name it. */
  grant: string | null;
  /** What decided: of the class if it is closed or creates, else of the record. */
  permission: Permission;
}

interface Standing {
  isAllowed: boolean;
  held: string[];
  ownerId: number | null;
  grants: Grants | null;
}

const CLASS_GRANTS = { create: 'creators', read: 'readers', update: 'updaters', delete: 'deleters' } as const;
const RECORD_GRANTS = { read: Prisma.sql`r.readers`, update: Prisma.sql`r.updaters`, delete: Prisma.sql`r.deleters` };

/**
 * Decides with the conditions of the operation itself. @param id of the record, unless it is created
 * @throws {NotFoundError} the record @throws {ForbiddenError} `Undefined class`
 */
export async function explainRecordAccess(
  action: ExplainedAction,
  { className, id }: { className: string; id: string | null },
  viewer: UserViewer,
): Promise<RecordDecision> {
  const definition = await classNamed(className, viewer);
  const ofClass = definition[CLASS_GRANTS[action]];
  const found =
    action === 'create' ? await mayCreate(definition, viewer) : await standing(action, definition, id, viewer);
  const { isAllowed, held, ownerId, grants } = found;
  const decisive = isForbidden(ofClass) ? ofClass : (grants ?? ofClass);
  const rule = isForbidden(ofClass) ? 'CLASS_CLOSED' : ruleOf(decisive, ownerId, held, viewer.userId);
  const grant = rule === 'GROUP' || rule === 'ROLE' ? decisive.find((one) => held.includes(one)) : undefined;
  return { isAllowed, rule, grant: grant?.slice(2) ?? null, permission: permissionOf(decisive) };
}

/** The first that allows it. */
function ruleOf(grants: Grants, ownerId: number | null, held: Grants, userId: number): RecordRule {
  if (ownerId === userId) return 'OWNER';
  if (isOpen(grants)) return 'OPEN';
  if (isGranted(grants, userId, [])) return 'NAMED_USER';
  const shared = grants.find((one) => held.includes(one));
  return shared === undefined ? 'NOT_GRANTED' : shared.startsWith('r:') ? 'ROLE' : 'GROUP';
}

async function standing(
  action: Exclude<ExplainedAction, 'create'>,
  definition: ClassDefinition,
  id: string | null,
  viewer: UserViewer,
): Promise<Standing> {
  const { applicationId } = viewer;
  const decision = action === 'read' ? readable(definition, viewer) : allows(action, definition, viewer);
  const rows = isStringId(id ?? '')
    ? await query<{ isAllowed: boolean; held: string[]; ownerId: number; grants: Grants }>`
        SELECT (${decision})::boolean AS "isAllowed", ${heldBy(viewer)} AS held, r.user_id AS "ownerId",
          ${RECORD_GRANTS[action]} AS grants
        FROM records r WHERE r.application_id = ${applicationId} AND r.class_key = ${definition.key} AND r.id = ${id}`
    : [];
  if (!rows[0]) throw new NotFoundError();
  return rows[0];
}

async function mayCreate(definition: ClassDefinition, viewer: UserViewer): Promise<Standing> {
  const decision = creating(definition, viewer);
  const [row] = await query<{ isAllowed: boolean; held: string[] }>`
    SELECT (${decision})::boolean AS "isAllowed", ${heldBy(viewer)} AS held`;
  return { ...row!, ownerId: null, grants: null };
}

function heldBy({ applicationId, userId }: UserViewer): Prisma.Sql {
  return Prisma.sql`(SELECT ${HELD_GRANTS} FROM users u JOIN applications a ON a.id = u.application_id
    WHERE u.application_id = ${applicationId} AND u.id = ${userId})`;
}

export interface PermissionChange {
  action: ExplainedAction;
  before: Permission;
  after: Permission;
  /** Users who may do it afterwards, and not before. */
  gained: number;
  lost: number;
}

/**
 * What another permission of a class would change for users who own no record: for creating, and for the other actions in
 * records that take their permissions from the class. @throws {ForbiddenError} `Undefined class`
 */
export async function countChanges(
  className: string,
  after: Partial<Record<(typeof CLASS_GRANTS)[ExplainedAction], Grants>>,
  viewer: { applicationId: number; catalogueVersion: number },
): Promise<PermissionChange[]> {
  const { applicationId } = viewer;
  const definition = await classNamed(className, viewer);
  const changes = (Object.keys(CLASS_GRANTS) as ExplainedAction[]).flatMap((action) => {
    const next = after[CLASS_GRANTS[action]];
    return next ? [{ action, before: definition[CLASS_GRANTS[action]], after: next }] : [];
  });
  if (changes.length === 0) return [];
  const counts = changes.map(({ before, after: next }) => {
    const [had, has] = [isGrantedTo(before), isGrantedTo(next)];
    return Prisma.sql`json_build_array(count(*) FILTER (WHERE ${has} AND NOT ${had}),
      count(*) FILTER (WHERE ${had} AND NOT ${has}))`;
  });
  const counted = () => query<{ counts: [gained: number, lost: number][] }>`
    SELECT json_build_array(${Prisma.join(counts)}) AS counts
    FROM (SELECT u.id, ${HELD_GRANTS} || ('u:' || u.id::text) AS held
      FROM users u JOIN applications a ON a.id = u.application_id
      WHERE u.application_id = ${applicationId} AND u.blocked_at IS NULL) users`;
  // Reads every user.
  const [row] = await inSearchTurn(jobOwnerOf(viewer), counted);
  return changes.map(({ action, before, after: next }, index) => {
    const [gained, lost] = row!.counts[index]!;
    return { action, before: permissionOf(before), after: permissionOf(next), gained, lost };
  });
}

function isGrantedTo(grants: Grants): Prisma.Sql {
  if (isForbidden(grants)) return Prisma.sql`false`;
  return isOpen(grants) ? Prisma.sql`true` : Prisma.sql`(held && ${grants}::text[])`;
}
