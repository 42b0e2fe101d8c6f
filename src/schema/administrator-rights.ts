import type { Role } from '../lib/access.ts';
import type { Right } from '../resolvers/administrators/rights.ts';

const DEVELOPER: readonly Role[] = ['owner', 'developer'];
const SUPPORT: readonly Role[] = ['owner', 'support'];
const STAFF: readonly Role[] = ['owner', 'developer', 'support'];
const ALL: readonly Role[] = ['owner', 'developer', 'support', 'viewer'];
const OWNER: readonly Role[] = ['owner'];

interface Group extends Omit<Right, 'harmlessMembers' | 'confirmedMembers'> {
  operations: string;
  harmlessMembers?: string;
  confirmedMembers?: string;
}

/** Operations by the right that an administrator needs; a test compares them with docs/console.md. */
const GROUPS: Group[] = [
  { roles: ALL, operations: 'application applicationStats class classes webPushKey' },
  {
    roles: DEVELOPER,
    operations:
      'apiKeys requestLog requestLogged slowShapes assistant assistants aiUsage identityProviders pushSettings mailSettings mailTemplates ' +
      'mailPreview testMail resetMailTemplate tryAssistant explainRecords createClass record records recordPage recordsById recordFile recordChanged ' +
      'createRecord createRecords createChildRecord ' +
      'uploadRecordFile deleteRecord deleteRecords deleteRecordFile',
  },
  {
    roles: DEVELOPER,
    isConfirmed: true,
    operations:
      'createApiKey revokeApiKey createAssistant updateAssistant deleteAssistant updateMailTemplate deleteClass updateIdentityProvider ' +
      'deleteIdentityProvider updatePushSettings deletePushSettings deleteRecordsByCriteria',
  },
  {
    roles: DEVELOPER,
    isConfirmed: true,
    harmlessMembers: 'name chatPushes phoneRegion answerAssist summarize translate gateway aiDailyTokens',
    operations: 'updateApplication',
  },
  { roles: DEVELOPER, isConfirmed: true, harmlessMembers: 'fields indexes', operations: 'updateClass' },
  {
    roles: DEVELOPER,
    isConfirmed: true,
    confirmedMembers: 'permissions',
    operations: 'updateRecord updateRecords updateRecordsByCriteria',
  },
  {
    roles: STAFF,
    operations:
      'user users userByEmail userByExternalId userByFacebookId userByLogin userByPhone userByTwitterId ' +
      'usersByFullName usersByTags me presence blob blobFile blobs fileAddresses createBlob event events eventStatus ' +
      'createEvents updateEvent pushSends pushDeliveries',
  },
  { roles: STAFF, isConfirmed: true, operations: 'completeBlob deleteBlob deleteEvent' },
  { roles: STAFF, isConfirmed: true, harmlessMembers: 'contentType name tags', operations: 'updateBlob' },
  {
    roles: SUPPORT,
    operations:
      'blockUser unblockUser userSessions endUserSessions requestPasswordReset addressBook contacts registeredContacts uploadContacts ' +
      'dialogNotifications updateDialogNotifications subscriptions deleteSubscription ' +
      'deletePushToken unreadCounts typing startTyping geodata geodatum createGeodatum updateGeodatum',
  },
  {
    roles: SUPPORT,
    isConfirmed: true,
    operations: 'createUser deleteUser deleteUserByExternalId deleteGeodatum deleteOldGeodata',
  },
  {
    roles: SUPPORT,
    isConfirmed: true,
    needsReason: true,
    harmlessMembers:
      'fullName website blobId customData parentsContacts ageOver16 allowStatisticsAnalysis allowSalesActivities',
    operations: 'updateUser',
  },
  {
    roles: SUPPORT,
    needsReason: true,
    operations:
      'dialog dialogs createDialog message messages sendMessage updateMessages readMessages ' +
      'markDialogMessages changes reactions addReaction changeReactions removeReaction messageSent dialogEvents ' +
      'reactionAdded reactionRemoved askGateway assistAnswer answerStream summarizeDialog summaryStream translateText',
  },
  {
    roles: SUPPORT,
    needsReason: true,
    isConfirmed: true,
    confirmedMembers: 'addOccupantIds addAdminIds',
    operations: 'updateDialog',
  },
  // A device receives messages that leave no entry.
  {
    roles: SUPPORT,
    needsReason: true,
    isConfirmed: true,
    operations: 'deleteDialog deleteDialogs deleteMessages createSubscription createPushToken',
  },
  {
    roles: ALL,
    operations:
      'applications serviceStatus signOutAdministrator confirmAdministrator passkeys updatePasskey passkeyConfirmationOptions',
  },
  {
    roles: ALL,
    isConfirmed: true,
    operations:
      'changeAdministratorPassword createTotpSecret enableTotp disableTotp createPasskeyOptions createPasskey deletePasskey',
  },
  { roles: OWNER, operations: 'administrators administratorInvitations auditEntries' },
  { roles: OWNER, operations: 'jobs job startCheck cancelJob jobChanged' },
  { roles: OWNER, isConfirmed: true, operations: 'startExport deleteBackup createBackupDownload' },
  {
    roles: OWNER,
    isConfirmed: true,
    operations:
      'inviteAdministrator deleteAdministratorInvitation updateAdministrator deleteAdministrator createApplication deleteApplication ' +
      'rotateApplicationSecret',
  },
];

const rights = new Map<string, Right>(
  GROUPS.flatMap(({ operations, harmlessMembers, confirmedMembers, ...group }) => {
    const right: Right = {
      ...group,
      ...(harmlessMembers && { harmlessMembers: harmlessMembers.split(' ') }),
      ...(confirmedMembers && { confirmedMembers: confirmedMembers.split(' ') }),
    };
    return operations.split(' ').map((name) => [name, right] as const);
  }),
);

/** @returns undefined if no administrator may run the operation */
export function rightOf(operation: string): Right | undefined {
  return rights.get(operation);
}

export const administratorOperations: readonly string[] = [...rights.keys()];
