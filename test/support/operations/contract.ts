import type { Access } from '../../../src/lib/access.ts';

// Public names that no code may derive: a new endpoint and a new root field are added here.

/** Ids of the endpoints in the OpenAPI document. */
export const ENDPOINTS = words(`
  addReaction apiKeys askGateway assignRole assistAnswer changeReactions completeBlob confirmUser countUnreadMessages
  createApiKey createBlob createChildRecord createClass createDialog createEvents createGeodatum createGuestSession
  createPushToken createRecord createRecords createSession createSubscription createUser createUserPasskey
  createUserTotpSecret defineRole deleteBlob deleteClass deleteDialog deleteDialogs deleteEvent deleteGeodatum
  deleteMessages deleteOldGeodata deletePushToken deleteRecord deleteRecordFile deleteRecords deleteRecordsByCriteria
  deleteRole deleteSession deleteSubscription deleteTokenIssuer deleteUser deleteUserByExternalId deleteUserPasskey
  disableSecondFactor downloadBlobFile downloadBlobFileById enablePasskeyFactor enableUserTotp endOtherSessions
  endSession endUserSessions explainAccess findAccountSettings findBlob findBlobFile findClass findDialog
  findDialogNotifications findEvent findEventStatus findGeodatum findMessage findRecord findRecordFile findRecords
  findSession findUser findUserByEmail findUserByExternalId findUserByFacebookId findUserByLogin findUserByPhone
  findUserByTwitterId identities linkIdentity listBlobs listChildRecords listClasses listContacts listDialogs
  listEvents listGeodata listReactions listRecords listRegisteredContacts listSubscriptions listUsers
  listUsersByFullName listUsersByTags loginUser logoutUser markDialogMessages permissionChanges readMessages
  removeReaction renewRecoveryCodes requestConfirmation requestEmailVerification requestPasskeySignIn
  requestPasswordReset requestSignInCode requestUserPasskey resetSecondFactor revokeApiKey revokeRole roles
  rotateApiKey sendMessage sessions signInMethods summarizeDialog tokenIssuers translateText unlinkIdentity
  updateApiKey updateBlob updateClass updateDialog updateDialogNotifications updateEvent updateGeodatum updateMessages
  updateRecord updateRecords updateRecordsByCriteria updateTokenIssuer updateUser updateUserPasskey uploadBlob
  uploadContacts uploadRecordFile userSessions verifyEmail
`);

/** Those that answer with 201. */
export const CREATING = words(`
  createApiKey createBlob createChildRecord createClass createDialog createEvents createGeodatum createGuestSession
  createPushToken createRecord createRecords createSession createSubscription createUser createUserPasskey sendMessage
  uploadBlob
`);

/** Every root field by the access that the contract gives it. */
const NAMES: Record<Access, string> = {
  anyone: `Query: accountSettings administrator administratorLink blobFile emailVerification passwordReset
    Mutation: acceptAdministratorLink beginProviderSignIn createGuestSession createSession finishProviderSignIn passkeySignInOptions requestAdministratorLink
    requestPasskeySignIn requestResetLink requestSignInCode resetPassword signInAdministrator signInAdministratorWithPasskey uploadBlob verifyEmail`,
  session: `Query: blob geodata geodatum record recordFile recordPage records recordsById user userByEmail
    userByExternalId userByFacebookId userByLogin userByPhone userByTwitterId users usersByFullName usersByTags
    Mutation: createUser requestPasswordReset`,
  token: 'Query: session Mutation: deleteSession loginUser logoutUser',
  userToken: `Mutation: confirmUser createUserPasskey createUserTotpSecret deleteUserPasskey disableSecondFactor
    enablePasskeyFactor enableUserTotp renewRecoveryCodes requestConfirmation requestUserPasskey updateUserPasskey`,
  user: `Query: addressBook blockedUsers chatContacts contacts dialogNotifications identities me registeredContacts sessions signInMethods subscriptions unreadCounts webPushKey
    Mutation: acceptContact addReaction changeReactions createBlob createDialog createGeodatum createPushToken createSubscription
    deletePushToken deleteSubscription endOtherSessions endSession linkIdentity markDialogMessages rejectContact removeContact removeReaction
    requestContact requestEmailVerification sendMessage sendSignal startTyping stopTyping unlinkIdentity
    updateDialogNotifications uploadContacts
    Subscription: contactChanged signals`,
  userOrKey: `Query: blobs changes dialog dialogs event eventStatus events fileAddresses message messages presence
    pushDeliveries pushSends reactions
    Mutation: askGateway assistAnswer blockUser completeBlob createChildRecord createEvents createRecord createRecords deleteBlob
    deleteDialog deleteDialogs deleteEvent deleteGeodatum deleteMessages deleteOldGeodata deleteRecord deleteRecordFile
    deleteRecords deleteRecordsByCriteria deleteUser deleteUserByExternalId readMessages summarizeDialog translateText
    unblockUser updateBlob updateDialog updateEvent updateGeodatum updateMessages updateRecord updateRecords
    updateRecordsByCriteria updateUser uploadRecordFile
    Subscription: answerStream dialogEvents messageSent presence reactionAdded reactionRemoved recordChanged
    summaryStream typing`,
  key: `Query: aiUsage apiKeys application applicationStats assistant assistants class classes explainAccess explainRecords
    identityProviders mailPreview mailTemplates permissionChanges pushSettings roles tokenIssuers userSessions
    userSignInMethods
    Mutation: assignRole createApiKey createAssistant createClass defineRole deleteAssistant deleteClass deleteIdentityProvider
    deletePushSettings deleteRole deleteTokenIssuer endUserSessions resetMailTemplate resetSecondFactor revokeApiKey revokeRole rotateApiKey testMail tryAssistant updateApiKey
    updateApplication updateAssistant updateClass updateIdentityProvider updateMailTemplate updatePushSettings updateTokenIssuer`,
  administrator: `Query: administratorInvitations administrators applications auditEntries job jobs mailSettings passkeys
    requestFigures requestLog requestShapes serviceStatus
    Mutation: cancelJob changeAdministratorPassword confirmAdministrator createApplication createBackupDownload
    createPasskey createPasskeyOptions createTotpSecret deleteAdministrator deleteAdministratorInvitation
    deleteApplication deleteBackup deletePasskey disableTotp enableTotp inviteAdministrator passkeyConfirmationOptions
    rotateApplicationSecret signOutAdministrator startCheck startExport updateAdministrator updatePasskey
    Subscription: jobChanged requestLogged`,
};

/** Paths of root fields, such as `Query.dialog`, by access. */
const PATHS = Object.fromEntries(
  Object.entries(NAMES).map(([access, names]) => {
    let type = '';
    const paths = words(names).flatMap((word) => {
      if (!word.endsWith(':')) return [`${type}.${word}`];
      type = word.slice(0, -1);
      return [];
    });
    return [access, paths];
  }),
) as Record<Access, string[]>;

export const expectedAccess: Record<string, Access> = Object.fromEntries(
  Object.entries(PATHS).flatMap(([access, paths]) => paths.map((path) => [path, access as Access])),
);

/** Whether the contract gives a root field one of these accesses. */
export function isFor({ path }: { path: string }, ...accesses: Access[]): boolean {
  return accesses.includes(expectedAccess[path]!);
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
