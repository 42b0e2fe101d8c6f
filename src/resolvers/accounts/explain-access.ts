import type { AdministrationContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { Application, User } from '../../generated/prisma/client.ts';
import { jobOwnerOf, type Policies, type UserViewer, type ViewerSession } from '../../lib/access.ts';
import { ForbiddenError, InvalidParametersError, NotFoundError, UnknownUserError } from '../../lib/errors.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { isReadableBy } from '../blobs/find.ts';
import { requireBlob, requireOwn } from '../blobs/rows.ts';
import { requireUnblocked } from '../blocks/between.ts';
import type { Permission } from '../classes/grants.ts';
import { type ReadableDialog, requireReadableDialog } from '../dialogs/access.ts';
import { type ExplainedAction, explainRecordAccess, type RecordRule } from '../records/explain-access.ts';
import { requireDialogCreator, requirePolicies } from '../users/policies.ts';

const RECORD_ACTIONS = {
  createRecord: 'create',
  readRecord: 'read',
  updateRecord: 'update',
  deleteRecord: 'delete',
} as const;

export type ExplainedOperation =
  | keyof typeof RECORD_ACTIONS
  | ('createDialog' | 'readDialog' | 'sendMessage')
  | ('readFile' | 'updateFile');

/** Whether users need a verified address for it, if the application demands one. */
const NEEDS_ADDRESS: readonly ExplainedOperation[] = ['createRecord', 'sendMessage'];

export type AccessRule =
  | RecordRule
  | ('USER_BLOCKED' | 'SECOND_FACTOR_NEEDED' | 'EMAIL_NOT_VERIFIED')
  | ('PUBLIC_FILE' | 'OTHER_OWNER')
  | ('ROLE_REQUIRED' | 'ALL_USERS' | 'OCCUPANT' | 'NOT_AN_OCCUPANT' | 'PUBLIC_GROUP' | 'BLOCKED' | 'NOT_FOUND');

export interface AccessExplanation {
  isAllowed: boolean;
  rule: AccessRule;
  sentence: string;
  grant: string | null;
  permission: Permission | null;
}

export interface ExplainedAccess {
  userId: number;
  operation: ExplainedOperation;
  className?: string | null | undefined;
  /** Of the record, dialog or file. */
  id?: string | null | undefined;
}

/**
 * Runs the checks of the operation for a session that the user would open now.
 * @throws {UnknownUserError} @throws {InvalidParametersError} the operation needs a class or an id
 */
export async function explainAccess(
  { userId, operation, className, id }: ExplainedAccess,
  { viewer }: Pick<AdministrationContext, 'viewer'>,
): Promise<AccessExplanation> {
  const { applicationId, catalogueVersion } = viewer;
  const user = isDatabaseId(userId)
    ? // Not `findUnique`: Prisma would merge simultaneous look-ups of different applications into one statement.
      await db.user.findFirst({
        where: { applicationId, id: userId },
        include: { application: true },
      })
    : null;
  if (!user) throw new UnknownUserError();
  const policies = policiesFor(user, user.application);
  const session = { policies } as ViewerSession;
  const acting: UserViewer = { kind: 'user', applicationId, catalogueVersion, userId, session };
  const refused = user.blockedAt ? 'USER_BLOCKED' : await refusalByPolicies(acting, operation, policies);
  if (refused) return explained({ isAllowed: false, rule: refused });
  if (operation in RECORD_ACTIONS) {
    const action = RECORD_ACTIONS[operation as keyof typeof RECORD_ACTIONS];
    return explained(await ofRecord(action, { className, id }, acting));
  }
  if (operation === 'createDialog') return explained(await ofNewDialog(acting));
  if (id == null) throw new InvalidParametersError('ID_REQUIRED');
  if (operation === 'readFile' || operation === 'updateFile') {
    return explained(await ofFile(operation === 'updateFile', id, acting));
  }
  return explained(await ofDialog(operation === 'sendMessage', id, acting));
}

type Decision = Pick<AccessExplanation, 'isAllowed' | 'rule'> &
  Partial<Pick<AccessExplanation, 'grant' | 'permission'>>;

async function ofRecord(
  action: ExplainedAction,
  { className, id }: Pick<ExplainedAccess, 'className' | 'id'>,
  viewer: UserViewer,
): Promise<Decision> {
  if (className == null) throw new InvalidParametersError('CLASS_REQUIRED');
  if (id == null && action !== 'create') throw new InvalidParametersError('ID_REQUIRED');
  return orNotFound(() => explainRecordAccess(action, { className, id: id ?? null }, viewer));
}

async function ofNewDialog(viewer: UserViewer): Promise<Decision> {
  return (await passes(() => requireDialogCreator(viewer)))
    ? { isAllowed: true, rule: 'ALL_USERS' }
    : { isAllowed: false, rule: 'ROLE_REQUIRED' };
}

/** Public groups have no occupants. */
function ofDialog(isSending: boolean, dialogId: string, viewer: UserViewer): Promise<Decision> {
  return orNotFound(async () => {
    let dialog: ReadableDialog;
    try {
      dialog = await requireReadableDialog(dialogId, viewer);
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      return { isAllowed: false, rule: 'NOT_AN_OCCUPANT' };
    }
    const { otherId, member } = dialog;
    const isOpen = !isSending || otherId === 0 || (await passes(() => unblocked(viewer, otherId)));
    if (!isOpen) return { isAllowed: false, rule: 'BLOCKED' };
    return { isAllowed: true, rule: member ? 'OCCUPANT' : 'PUBLIC_GROUP' };
  });
}

function ofFile(isChanged: boolean, id: string, viewer: UserViewer): Promise<Decision> {
  return orNotFound(async () => {
    // Text that is no number is an unknown id.
    const blob = await requireBlob(/^[1-9][0-9]{0,9}$/.test(id) ? Number(id) : Number.MAX_SAFE_INTEGER, viewer);
    const isOwner = blob.userId === viewer.userId;
    const isAllowed = isChanged ? await passes(async () => requireOwn(blob, viewer)) : await isReadableBy(blob, viewer);
    if (!isAllowed) return { isAllowed, rule: 'OTHER_OWNER' };
    return { isAllowed, rule: isOwner ? 'OWNER' : blob.isPublic ? 'PUBLIC_FILE' : 'ALL_USERS' };
  });
}

const unblocked = (viewer: UserViewer, otherId: number) =>
  transact(jobOwnerOf(viewer), (transaction) => requireUnblocked(transaction, viewer, otherId));

async function refusalByPolicies(
  viewer: UserViewer,
  operation: ExplainedOperation,
  { isEmailRequired, unprovenRoles }: Policies,
): Promise<AccessRule | undefined> {
  if (!(await passes(() => requirePolicies(viewer, { isEmailRequired: false, unprovenRoles })))) {
    return 'SECOND_FACTOR_NEEDED';
  }
  const needsAddress = isEmailRequired && NEEDS_ADDRESS.includes(operation);
  const isVerified = await passes(() => requirePolicies(viewer, { isEmailRequired: needsAddress, unprovenRoles: [] }));
  return isVerified ? undefined : 'EMAIL_NOT_VERIFIED';
}

/** A user with a second factor proves it when signing in. */
function policiesFor({ needsSecondFactor }: User, application: Application): Policies {
  const { verifiedEmailRequired, dialogCreators, secondFactorRoles } = application;
  const unprovenRoles = needsSecondFactor ? [] : secondFactorRoles;
  return { isEmailRequired: verifiedEmailRequired, dialogCreators, unprovenRoles };
}

async function passes(check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}

async function orNotFound(decide: () => Promise<Decision>): Promise<Decision> {
  try {
    return await decide();
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return { isAllowed: false, rule: 'NOT_FOUND' };
  }
}

const SENTENCES: Record<AccessRule, string> = {
  CLASS_CLOSED: 'The class permits it to API keys only.',
  OWNER: 'The user is the owner.',
  PUBLIC_FILE: 'The file is public.',
  OTHER_OWNER: 'Another user owns the file.',
  OPEN: 'The permission is open to all.',
  NAMED_USER: 'The permission names the user.',
  GROUP: 'The permission names the group {grant}, of which the user is a member by a tag.',
  ROLE: 'The permission names the role {grant}, which the user has.',
  NOT_GRANTED: 'The permission names neither the user, nor a group or role of the user, who is not the owner either.',
  USER_BLOCKED: 'The user is blocked and cannot sign in.',
  SECOND_FACTOR_NEEDED: 'A role of the user demands a second factor, and the user has none.',
  EMAIL_NOT_VERIFIED: 'The application demands a verified address, and the user has none.',
  ROLE_REQUIRED: 'Only users with other roles may create dialogs.',
  ALL_USERS: 'The user may do it like others.',
  OCCUPANT: 'The user is an occupant of the dialog.',
  NOT_AN_OCCUPANT: 'The user is no occupant of the dialog.',
  PUBLIC_GROUP: 'The dialog is a public group.',
  BLOCKED: 'One of the two users has blocked the other.',
  NOT_FOUND: 'There is no such record, dialog or file.',
};

function explained({ isAllowed, rule, grant = null, permission = null }: Decision): AccessExplanation {
  return { isAllowed, rule, grant, permission, sentence: SENTENCES[rule].replace('{grant}', grant ?? '') };
}
