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
import { type UploadedContacts, uploadContacts } from '../resolvers/address-book/upload.ts';
import { builder } from './builder.ts';
import { metered } from './metered.ts';
import { User } from './users.ts';

const UDID = 'The device whose book it is, at most 64 characters; left out: the book of no device.';

const COMPACT =
  'Where the application does not let sessions list its users, all of a user but `id` and `phone` is refused.';

const ContactType = builder.objectRef<Contact>('Contact').implement({
  description: "An entry of a user's address book.",
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As the address book calls them.' }),
    phone: t.exposeString('phone', { description: 'As typed.' }),
  }),
});

const RegisteredContactType = builder.objectRef<RegisteredContact>('RegisteredContact').implement({
  description: 'A user of the application who is in an address book.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: "The user's id." }),
    phone: t.exposeString('phone', { nullable: true, description: 'As the user typed it.' }),
    user: t.expose('user', {
      type: User,
      nullable: true,
      description: 'Null where the application does not let sessions list its users.',
    }),
  }),
});

const AddressBookType = builder.objectRef<AddressBook>('AddressBook').implement({
  description: 'A whole address book at once.',
  fields: (t) => ({
    contacts: t.field({
      type: [ContactType],
      description: 'In the order in which they were first uploaded.',
      resolve: (book) => contactsOf(book),
    }),
    registeredUsers: t.field({
      type: [User],
      description: `Users of the application who are in it, by id. ${COMPACT}`,
      resolve: (book, _args, context) => registeredUsersOf(book, context),
    }),
    registeredContacts: t.field({
      type: [RegisteredContactType],
      description: 'The same, also where the application does not let sessions list its users.',
      resolve: (book, _args, context) => registeredContactsOf(book, context),
    }),
  }),
});

const RejectedContact = builder.objectRef<UploadedContacts['rejected'][number]>('RejectedContact').implement({
  description: 'An entry that was not taken.',
  fields: (t) => ({
    index: t.exposeInt('index', { description: 'Its place in the upload, from 0.' }),
    errors: t.exposeStringList('errors', { description: 'What is wrong with it, in sentences for developers.' }),
  }),
});

const UploadedContactsType = builder.objectRef<UploadedContacts>('UploadedContacts').implement({
  description: 'What an upload made of an address book.',
  fields: (t) => ({
    created: t.exposeInt('created', { description: 'Phones that were not in the book.' }),
    updated: t.exposeInt('updated', { description: 'Known phones, also where nothing changed.' }),
    deleted: t.exposeInt('deleted', { description: 'Phones that were taken out of the book.' }),
    rejected: t.expose('rejected', {
      type: [RejectedContact],
      description: 'Those that broke a rule, in the order of the upload.',
    }),
  }),
});

const ContactInput = builder.inputType('ContactInput', {
  description: 'A contact is its phone, 10 to 15 characters as typed; its name has 1 to 255.',
  fields: (t) => ({
    name: t.string({ description: 'What the address book calls them; needed unless the contact is taken out.' }),
    phone: t.string({ description: 'By which the contact is told from others of the book.' }),
    destroy: t.field({ type: 'Flag', description: 'Takes the contact out of the book; it needs no name then.' }),
  }),
});

builder.queryField('contacts', (t) =>
  t.withAuth({ user: true }).connection(
    {
      type: ContactType,
      description: "One of the caller's address books, in the order of the first upload; an error when it is empty.",
      args: { udid: t.arg.string({ description: UDID }) },
      resolve: (_root, args, context) => listContacts(args, context),
    },
    { fields: metered },
  ),
);

builder.queryField('registeredContacts', (t) =>
  t.withAuth({ user: true }).connection(
    {
      type: User,
      description: `Users who are in one of the caller's address books, by id; an error when the book is empty. ${COMPACT}`,
      args: { udid: t.arg.string({ description: UDID }) },
      resolve: (_root, args, context) => listRegisteredContacts(args, context),
    },
    { fields: metered },
  ),
);

builder.queryField('addressBook', (t) =>
  t.withAuth({ user: true }).field({
    type: AddressBookType,
    description: "One of the caller's address books as a whole; an error when it is empty.",
    args: { udid: t.arg.string({ description: UDID }) },
    resolve: (_root, { udid }, context) => findAddressBook(udid, context),
  }),
);

builder.mutationField('uploadContacts', (t) =>
  t.withAuth({ user: true }).field({
    type: UploadedContactsType,
    description:
      "Changes one of the caller's address books: adds, renames and removes contacts, or replaces all of them. What " +
      'breaks a rule is left out and told.',
    args: {
      contacts: t.arg({
        type: [ContactInput],
        required: { list: false, items: false },
        description: 'Those to add, rename or take out; others stay unless `force` says so.',
      }),
      udid: t.arg.string({ description: UDID }),
      force: t.arg.boolean({ description: 'Contacts that are not named go.' }),
    },
    resolve: (_root, args, context) => uploadContacts(args, context),
  }),
);
