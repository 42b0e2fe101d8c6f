import { SUPPORT } from '../administration/administrators/rights.ts';
import {
  type AddressBook,
  type Contact,
  contactsOf,
  findAddressBook,
  listContacts,
  listRegisteredContacts,
  type RegisteredContact,
  registeredContactsOf,
  registeredUsersOf,
} from '../resolvers/address-book/list.ts';
import { MAX_UDID } from '../resolvers/address-book/rules.ts';
import { type UploadedContacts, uploadContacts } from '../resolvers/address-book/upload.ts';
import { builder } from './builder.ts';
import { withTotalCount } from './total-count.ts';
import { User } from './users.ts';

const UDID =
  `Device that the address book belongs to, at most ${MAX_UDID} characters. Default: the address book that belongs ` +
  'to no device.';

const COMPACT =
  'If the application disables `usersList`, selecting any field of a user except `id` and `phone` fails ' +
  'with `FORBIDDEN`.';

const ContactType = builder.objectRef<Contact>('Contact').implement({
  description: "An entry in a user's address book.",
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the contact in the address book.' }),
    phone: t.exposeString('phone', {
      description: 'Phone number as uploaded, 10 to 15 characters. Identifies the contact within its address book.',
    }),
  }),
});

const RegisteredContactType = builder.objectRef<RegisteredContact>('RegisteredContact').implement({
  description: 'A user of the application whose phone number is in an address book.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Id of the user.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'Phone number as the user entered it.' }),
    user: t.expose('user', {
      scope: 'users:read',
      type: User,
      nullable: true,
      description: 'The profile of the user; null if the application disables `usersList`.',
    }),
  }),
});

const AddressBookType = builder.objectRef<AddressBook>('AddressBook').implement({
  description: 'A complete address book, without pagination.',
  fields: (t) => ({
    contacts: t.field({
      type: [ContactType],
      description: 'All contacts, in the order of their first upload.',
      resolve: (book) => contactsOf(book),
    }),
    registeredUsers: t.field({
      scope: 'users:read',
      type: [User],
      description: `Users of the application whose phone number is in the address book, sorted by id. ${COMPACT}`,
      resolve: (book, _args, context) => registeredUsersOf(book, context),
    }),
    registeredContacts: t.field({
      type: [RegisteredContactType],
      description: 'The same users with their phone numbers, also available if the application disables `usersList`.',
      resolve: (book, _args, context) => registeredContactsOf(book, context),
    }),
  }),
});

const RejectedContact = builder.objectRef<UploadedContacts['rejected'][number]>('RejectedContact').implement({
  description: 'An uploaded entry that violates a rule and was not stored.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Position in the upload, counted from 0.' }),
    errors: t.exposeStringList('errors', { description: 'Messages of the violated rules, for developers.' }),
  }),
});

const UploadedContactsType = builder.objectRef<UploadedContacts>('UploadedContacts').implement({
  description: 'Result of `uploadContacts`.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'Number of contacts added.' }),
    updated: t.exposeInt('updated', {
      description: 'Number of entries for existing contacts, including those that changed nothing.',
    }),
    deleted: t.exposeInt('deleted', { description: 'Number of contacts removed.' }),
    rejected: t.expose('rejected', {
      type: [RejectedContact],
      description: 'Entries that violate a rule, in upload order.',
    }),
  }),
});

const ContactInput = builder.inputType('ContactInput', {
  description: 'A contact to add, rename or remove. Entries that violate a rule are returned in `rejected`.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the contact, 1 to 255 characters. Required unless `destroy` is true.' }),
    phone: t.string({
      description: 'Phone number, 10 to 15 characters in any notation. Required, because it identifies the contact.',
    }),
    destroy: t.field({ type: 'Flag', description: 'Removes the contact if true. Default: false.' }),
  }),
});

builder.queryField('contacts', (t) =>
  t.withAuth({ user: true }).connection(
    {
      scope: 'contacts',
      administrator: { roles: SUPPORT },
      type: ContactType,
      description:
        "Contacts in one of the caller's address books, in the order of their first upload. Fails with " +
        '`NOT_FOUND` if the address book is empty.',
      args: { udid: t.arg.string({ description: UDID }) },
      resolve: (_root, args, context) => listContacts(args, context),
    },
    { fields: withTotalCount },
  ),
);

builder.queryField('registeredContacts', (t) =>
  t.withAuth({ user: true }).connection(
    {
      scope: 'contacts',
      administrator: { roles: SUPPORT },
      type: User,
      description:
        "Users whose phone number is in one of the caller's address books, sorted by id. Fails with `NOT_FOUND` " +
        `if the address book is empty. ${COMPACT}`,
      args: { udid: t.arg.string({ description: UDID }) },
      resolve: (_root, args, context) => listRegisteredContacts(args, context),
    },
    { fields: withTotalCount },
  ),
);

builder.queryField('addressBook', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'contacts',
    administrator: { roles: SUPPORT },
    type: AddressBookType,
    description: "One of the caller's address books, without pagination. Fails with `NOT_FOUND` if it is empty.",
    args: { udid: t.arg.string({ description: UDID }) },
    resolve: (_root, { udid }, context) => findAddressBook(udid, context),
  }),
);

builder.mutationField('uploadContacts', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'contacts',
    administrator: { roles: SUPPORT },
    type: UploadedContactsType,
    description:
      "Adds, renames and removes contacts in one of the caller's address books. Stores all valid entries and " +
      'returns the invalid ones in `rejected`. Each user can add 50,000 contacts per day (UTC); more fail with ' +
      '`RATE_LIMITED`.',
    args: {
      contacts: t.arg({
        type: [ContactInput],
        required: { list: false, items: false },
        description: 'Contacts to add, rename or remove. Required, but may be empty.',
      }),
      udid: t.arg.string({ description: UDID }),
      force: t.arg.boolean({ description: 'Removes all contacts that `contacts` does not contain. Default: false.' }),
    },
    resolve: (_root, args, context) => uploadContacts(args, context),
  }),
);
