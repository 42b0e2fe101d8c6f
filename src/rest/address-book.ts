import { isObject, type ParameterValue } from '../lib/bracket-keys.ts';
import { type Given, readFlag, readNumberedObject, readText } from '../lib/parameter-values.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { ok, route } from './http/route.ts';
import { addressBookDocs } from './openapi/docs/address-book.ts';
import { presentUser, UserFields } from './user-fields.ts';

const UploadContacts = graphql(`mutation UploadContacts($contacts: [ContactInput], $udid: String, $force: Boolean) {
  uploadContacts(contacts: $contacts, udid: $udid, force: $force) {
    created updated deleted rejected { index errors }
  }
}`);

const ListContacts = graphql(`query ListContacts($udid: String) {
  addressBook(udid: $udid) { contacts { name phone } }
}`);

const ListRegisteredContacts = graphql(
  `query ListRegisteredContacts($udid: String, $compact: Boolean!) {
    addressBook(udid: $udid) { registeredContacts { id phone user @skip(if: $compact) { ...UserFields } } }
  }`,
  [UserFields],
);

/** As many keys for each byte as other bodies may have. */
const UPLOAD_LIMITS = { maxBytes: 4 * 1024 * 1024, maxKeys: 80_000 };

export const addressBookRoutes = [
  route({
    method: 'post',
    path: '/address_book',
    body: UPLOAD_LIMITS,
    document: UploadContacts,
    variables: ({ given }) => ({
      contacts: readNumberedObject(given.contacts)?.map(contactInput),
      udid: readText(given.udid),
      force: readFlag(given.force),
    }),
    respond: ({ uploadContacts: { rejected, ...counts } }) =>
      ok({ ...counts, ...(rejected.length > 0 ? { rejected: byIndex(rejected) } : {}) }),
    errors: errorList,
    docs: addressBookDocs.uploadContacts,
  }),
  route({
    method: 'get',
    path: '/address_book',
    xml: 'contacts',
    document: ListContacts,
    variables: ({ given }) => ({ udid: readText(given.udid) }),
    respond: ({ addressBook }) => ok(addressBook.contacts),
    errors: errorList,
    docs: addressBookDocs.listContacts,
  }),
  route({
    method: 'get',
    path: '/address_book/registered_users',
    xml: 'users',
    document: ListRegisteredContacts,
    variables: ({ given }) => ({ udid: readText(given.udid), compact: isCompact(given.compact) }),
    respond: ({ addressBook: { registeredContacts } }) =>
      ok({
        items: registeredContacts.map(({ id, phone, user }) => (user ? presentUser(user) : { user: { id, phone } })),
      }),
    errors: errorList,
    docs: addressBookDocs.listRegisteredContacts,
  }),
];

/** What is no object has no fields, and neither has a field that is no text. */
function contactInput(item: ParameterValue) {
  return isObject(item) ? { name: readText(item.name), phone: readText(item.phone), destroy: item.destroy } : null;
}

function isCompact(value: Given): boolean {
  return readFlag(value) === true;
}

function byIndex(rejected: { index: number; errors: string[] }[]) {
  return Object.fromEntries(rejected.map(({ index, errors }) => [index, errors]));
}
