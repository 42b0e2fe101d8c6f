import { isObject, type ParameterValue } from '../lib/bracket-keys.ts';
import { type ParameterInput, readFlag, readNumberedObject, readText } from '../lib/parameter-values.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { ok, route } from './http/route.ts';
import { addressBookDocs } from './openapi/docs/address-book.ts';
import { contactShape, uploadedContactsShape } from './shapes/contact.ts';
import { userShape } from './shapes/user.ts';

const UploadContacts = graphql(
  `mutation UploadContacts($contacts: [ContactInput], $udid: String, $force: Boolean) {
    uploadContacts(contacts: $contacts, udid: $udid, force: $force) { ...UploadedContactsFields }
  }`,
  [uploadedContactsShape],
);

const ListContacts = graphql(
  `query FindAddressBook($udid: String) { addressBook(udid: $udid) { contacts { ...ContactFields } } }`,
  [contactShape],
);

const ListRegisteredContacts = graphql(
  `query FindAddressBook($udid: String, $compact: Boolean!) {
    addressBook(udid: $udid) { registeredContacts { id phone user @skip(if: $compact) { ...UserFields } } }
  }`,
  [userShape],
);

/** The same ratio of keys to bytes as the default. */
const UPLOAD_LIMITS = { maxBytes: 4 * 1024 * 1024, maxKeys: 80_000 };

export const addressBookRoutes = [
  route({
    method: 'post',
    path: '/address_book',
    body: UPLOAD_LIMITS,
    document: UploadContacts,
    variables: ({ parameters }) => ({
      contacts: readNumberedObject(parameters.contacts)?.map(contactInput),
      udid: readText(parameters.udid),
      force: readFlag(parameters.force),
    }),
    respond: ({ uploadContacts }) => ok(uploadedContactsShape.present(uploadContacts)),
    errors: errorList,
    docs: addressBookDocs.uploadContacts,
  }),
  route({
    method: 'get',
    path: '/address_book',
    xml: 'contacts',
    document: ListContacts,
    variables: ({ parameters }) => ({ udid: readText(parameters.udid) }),
    respond: ({ addressBook }) => ok(addressBook.contacts.map(contactShape.present)),
    errors: errorList,
    docs: addressBookDocs.listContacts,
  }),
  route({
    method: 'get',
    path: '/address_book/registered_users',
    xml: 'users',
    document: ListRegisteredContacts,
    variables: ({ parameters }) => ({ udid: readText(parameters.udid), compact: isCompact(parameters.compact) }),
    respond: ({ addressBook: { registeredContacts } }) =>
      ok({
        items: registeredContacts.map(({ id, phone, user }) =>
          user ? userShape.present(user) : { user: { id, phone } },
        ),
      }),
    errors: errorList,
    docs: addressBookDocs.listRegisteredContacts,
  }),
];

function contactInput(item: ParameterValue) {
  return isObject(item) ? { name: readText(item.name), phone: readText(item.phone), destroy: item.destroy } : null;
}

function isCompact(value: ParameterInput): boolean {
  return readFlag(value) === true;
}
