// Everything that this package uses of the service.
export type { AdministrationContext, Services } from '../../../src/context.ts';
export { db, Prisma, type Transaction } from '../../../src/db/client.ts';
export { insertion } from '../../../src/db/columns.ts';
export { DIALOG_TYPE } from '../../../src/db/dialog-types.ts';
export { sqlState } from '../../../src/db/failures.ts';
export { query } from '../../../src/db/query.ts';
export { transact } from '../../../src/db/transact.ts';
export type { StagedFile } from '../../../src/gateways/storage.ts';
export { jobOwnerOf } from '../../../src/lib/access.ts';
export { OPERATOR } from '../../../src/lib/actor.ts';
export { BadInputError } from '../../../src/lib/errors.ts';
export { isObject, type JsonValue } from '../../../src/lib/json.ts';
export { isLoopback } from '../../../src/lib/loopback.ts';
export { sentenceOf } from '../../../src/lib/problems.ts';
export { sign } from '../../../src/lib/signature.ts';
export { snakeCase } from '../../../src/lib/snake-case.ts';
export { isStringId } from '../../../src/lib/string-ids.ts';
export { HOUR, MINUTE, SECOND, unixSeconds } from '../../../src/lib/time.ts';
export { isDatabaseId } from '../../../src/lib/tokens.ts';
export { withoutTrailingSlashes } from '../../../src/lib/trailing-slashes.ts';
export { appendDialogEvents } from '../../../src/realtime/outbox.ts';
export { newUid } from '../../../src/resolvers/blobs/uids.ts';
export { blocksOf, MAX_LISTS, type PrivacyItem } from '../../../src/resolvers/blocks/rules.ts';
export { MAX_CONTACTS } from '../../../src/resolvers/chat-contacts/rows.ts';
export {
  type ClassDefinition,
  noteKinds,
  reloadCatalogue,
  renewCatalogue,
} from '../../../src/resolvers/classes/catalogue.ts';
export { createClass } from '../../../src/resolvers/classes/create.ts';
export { readFieldType } from '../../../src/resolvers/classes/field-notation.ts';
export { ACCESS_KINDS, type Grants, grantsOf } from '../../../src/resolvers/classes/grants.ts';
export { ALL_SLOTS } from '../../../src/resolvers/classes/slots.ts';
export { updateClass } from '../../../src/resolvers/classes/update.ts';
export type { FileValue } from '../../../src/resolvers/classes/values.ts';
export { dataColumns } from '../../../src/resolvers/dialogs/data.ts';
export { leaveGroups } from '../../../src/resolvers/dialogs/leave.ts';
export { claimFile, releaseFile, removeReleased, stageFile } from '../../../src/resolvers/files/staged.ts';
export { withoutReservedKeys } from '../../../src/resolvers/messages/rules.ts';
export { newFields, type RuledField } from '../../../src/resolvers/records/changes.ts';
export { ClassChanged, lockClassForWrite, withClasses } from '../../../src/resolvers/records/lock-class.ts';
export { missingKinds } from '../../../src/resolvers/records/permissions.ts';
export { NEW_COLUMNS, NEW_INPUT, NEW_VALUES, newRow, type RecordRow } from '../../../src/resolvers/records/rows.ts';
export { hasUniqueKeys, insertKeys } from '../../../src/resolvers/records/unique.ts';
export { checkedUser } from '../../../src/resolvers/users/rules.ts';
export { ChatAddresses } from '../../../src/xmpp/addresses.ts';
export { itemsIn, privacyItem } from '../../../src/xmpp/privacy-items.ts';
export { type Element, NS } from '../../../src/xmpp/xml/element.ts';
export { parseFrame, XmlError } from '../../../src/xmpp/xml/parser.ts';
export { escaped, tag, type Xml } from '../../../src/xmpp/xml/writer.ts';
