import { expect, test } from 'vitest';
import { operations } from './support/operations/index.ts';
import { nameOf, operationIdOf, routes } from './support/operations/routes.ts';

/** Endpoints that never refuse a caller, with the reason. */
const NEVER_REFUSED: Record<string, string> = {
  'get /account_settings': 'it asks for no caller and no parameter',
};

/** The ids of the OpenAPI document are part of the public interface. */
const OPERATION_IDS = `
  addReaction askGateway assistAnswer changeReactions completeBlob countUnreadMessages createBlob
  createChildRecord createClass createDialog createEvents createGeodatum createPushToken createRecord
  createRecords createSession createSubscription createUser deleteBlob deleteClass deleteDialog deleteDialogs
  deleteEvent deleteGeodatum deleteMessages deleteOldGeodata deletePushToken deleteRecord deleteRecordFile
  deleteRecords deleteRecordsByCriteria deleteSession deleteSubscription deleteUser deleteUserByExternalId
  downloadBlobFile downloadBlobFileById findAccountSettings findBlob findBlobFile findClass findDialog
  findDialogNotifications findEvent findEventStatus findGeodatum findMessage findRecord findRecordFile findRecords
  findSession findUser findUserByEmail findUserByExternalId findUserByFacebookId findUserByLogin findUserByPhone
  findUserByTwitterId listBlobs listChildRecords listClasses listContacts listDialogs listEvents listGeodata
  listReactions listRecords listRegisteredContacts listSubscriptions listUsers listUsersByFullName listUsersByTags
  loginUser logoutUser markDialogMessages readMessages removeReaction requestPasswordReset sendMessage
  summarizeDialog translateText updateBlob updateClass updateDialog updateDialogNotifications updateEvent
  updateGeodatum updateMessages updateRecord updateRecords updateRecordsByCriteria updateUser uploadBlob
  uploadContacts uploadRecordFile
`;
const CREATING = `
  createBlob createChildRecord createClass createDialog createEvents createGeodatum createPushToken createRecord
  createRecords createSession createSubscription createUser sendMessage uploadBlob
`;

test('the registry has one entry for every route, with an example of success and one of refusal', () => {
  const names = routes.map(nameOf).sort();
  expect(operations.map(({ name }) => name).sort()).toEqual(names);
  const withExample = (isServed: boolean) =>
    operations.filter(({ examples }) => examples.some((one) => one.isServed === isServed)).map(({ name }) => name);
  expect(withExample(true).sort()).toEqual(names);
  expect(withExample(false).sort()).toEqual(names.filter((name) => !(name in NEVER_REFUSED)));
});

test('endpoints have the ids and the statuses of the contract', () => {
  const words = (text: string) => text.trim().split(/\s+/);
  expect(routes.map(operationIdOf).sort()).toEqual(words(OPERATION_IDS));
  const created = routes.filter(({ docs }) => docs.status === 201);
  expect(created.map(operationIdOf).sort()).toEqual(words(CREATING));
});
