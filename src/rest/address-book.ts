import { readFlag } from '../lib/casts.ts';
import { MAX_UDID, NAME, PHONE } from '../resolvers/address-book/rules.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { addressBookDocs } from './openapi/docs/address-book.ts';
import { described } from './openapi/docs/schemas.ts';
import { flag, objects, shownAs, text, unchecked } from './parameters/readers.ts';
import { limited, noted, parameters, required } from './parameters/table.ts';
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

const udid = [
  'udid',
  limited(text, { maxLength: MAX_UDID }),
  `Device of the address book, up to ${MAX_UDID} characters. Omit for the address book without a device.`,
] as const;

const contact = parameters('ContactInput', {
  name: [
    'name',
    limited(text, { minLength: NAME.min, maxLength: NAME.max }),
    `Name of the contact, ${NAME.min} to ${NAME.max} characters. Required unless \`destroy\` is set.`,
  ],
  phone: [
    'phone',
    required(limited(text, { minLength: PHONE.min, maxLength: PHONE.max })),
    `Phone number, ${PHONE.min} to ${PHONE.max} characters. Identifies the contact in the address book.`,
  ],
  destroy: ['destroy', shownAs(unchecked, flag.schema), '1 removes the contact. Default 0.'],
});

export const addressBookRoutes = [
  route({
    method: 'post',
    path: '/address_book',
    body: UPLOAD_LIMITS,
    document: UploadContacts,
    parameters: parameters('Mutation.uploadContacts', {
      contacts: ['contacts', required(objects(contact)), 'Contacts to add, rename or remove.'],
      udid,
      force: ['force', flag, '1 removes all contacts that are not in the request. Default 0.'],
    }),
    shape: uploadedContactsShape,
    docs: addressBookDocs.uploadContacts,
  }),
  route({
    method: 'get',
    path: '/address_book',
    xml: 'contacts',
    document: ListContacts,
    parameters: parameters('Query.addressBook', { udid }),
    present: ({ addressBook }) => addressBook.contacts.map(contactShape.present),
    docs: addressBookDocs.listContacts,
  }),
  route({
    method: 'get',
    path: '/address_book/registered_users',
    xml: 'users',
    document: ListRegisteredContacts,
    parameters: parameters('Query.addressBook', {
      udid,
      compact: {
        variables: (value) => ({ compact: readFlag(value) === true }),
        schema: described(flag.schema, '1 returns only the id and phone of each user. Default 0.'),
      },
      force: noted(flag.schema, 'Accepted for compatibility; has no effect.'),
    }),
    present: ({ addressBook: { registeredContacts } }) => ({
      items: registeredContacts.map(({ id, phone, user }) =>
        user ? userShape.present(user) : { user: { id, phone } },
      ),
    }),
    docs: addressBookDocs.listRegisteredContacts,
  }),
];
