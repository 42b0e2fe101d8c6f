import type { Context, UserContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { columnsOf } from '../../db/columns.ts';
import { newestFirst, rowsOf } from '../../db/conditions.ts';
import { query } from '../../db/query.ts';
import type { User } from '../../generated/prisma/client.ts';
import { UsersListingForbiddenError } from '../../lib/errors.ts';
import {
  type ConnectionArguments,
  type CountedConnection,
  connection,
  type NumericPage,
  numericPage,
  pageRequest,
} from '../../lib/pagination.ts';
import { mayListUsers } from '../users/listing.ts';
import { usersById } from '../users/rows.ts';
import { type BookKey, bookOf, emptyBook, inBook, requireContacts } from './book.ts';
import { registeredIds } from './matches.ts';

export interface Contact {
  name: string;
  phone: string;
}

export type AddressBook = BookKey;

type Listing = { udid?: string | null } & ConnectionArguments;
const CONTACT = columnsOf('Contact', 'c', ['name', 'phone']);
const POSITION = columnsOf('Contact', 'c', ['position']);

const ORDER = { ...newestFirst('c.position', 'int8', 'c.phone'), isDescending: false };

/** In upload order. @throws {UnprocessableError} udid @throws {NotFoundError} empty book */
export async function listContacts(
  { udid, ...listing }: Listing,
  context: UserContext,
): Promise<CountedConnection<Contact>> {
  const page = pageRequest(listing);
  const book = bookOf(udid, context);
  const rows = await query`
    SELECT ${CONTACT}, ${POSITION} FROM contacts c
    WHERE ${inBook(book)} AND ${rowsOf(page, ORDER)}`;
  if (rows.length === 0) await requireContacts(book);
  return {
    ...connection(rows, page, ({ position, phone }) => ({ value: Number(position), id: phone })),
    totalCount: () => db.contact.count({ where: { ...book } }),
  };
}

/** By id, each once. @throws as `listContacts` */
export async function listRegisteredContacts(
  { udid, ...listing }: Listing,
  context: UserContext,
): Promise<CountedConnection<User>> {
  const page = numericPage(listing);
  const book = bookOf(udid, context);
  await requireContacts(book);
  const ids = await registeredIds(book);
  const users = await asListed(await usersById(book.applicationId, idsOfPage(ids, page)), context);
  return {
    ...connection(users, page, ({ id }) => ({ value: id, id: String(id) })),
    totalCount: () => Promise.resolve(ids.length),
  };
}

/** @throws {UnprocessableError} {NotFoundError} */
export async function findAddressBook(udid: string | null | undefined, context: UserContext): Promise<AddressBook> {
  const book = bookOf(udid, context);
  await requireContacts(book);
  return book;
}

/** In upload order. */
export async function contactsOf(book: AddressBook): Promise<Contact[]> {
  const contacts = await query`
    SELECT ${CONTACT} FROM contacts c WHERE ${inBook(book)} ORDER BY c.position`;
  if (contacts.length === 0) throw emptyBook();
  return contacts;
}

/** By id. */
export async function registeredUsersOf(book: AddressBook, context: Context): Promise<User[]> {
  return asListed(await usersById(book.applicationId, await registeredIds(book)), context);
}

/** The caller knows the phone already; the profile needs the right to list users. */
export interface RegisteredContact {
  id: number;
  phone: string | null;
  user: User | null;
}

export async function registeredContactsOf(book: AddressBook, context: Context): Promise<RegisteredContact[]> {
  const [users, isListable] = await Promise.all([
    registeredIds(book).then((ids) => usersById(book.applicationId, ids)),
    mayListUsers(context),
  ]);
  return users.map((user) => ({ id: user.id, phone: user.phone, user: isListable ? user : null }));
}

async function asListed(users: User[], context: Context): Promise<User[]> {
  return (await mayListUsers(context)) ? users : users.map(compactUser);
}

function compactUser(user: User): User {
  const refuse = () => {
    throw new UsersListingForbiddenError();
  };
  const { applicationId, id, phone } = user;
  const refused = Object.keys(user).filter((name) => !['applicationId', 'id', 'phone'].includes(name));
  const getters = Object.fromEntries(refused.map((name) => [name, { get: refuse, enumerable: true }]));
  return Object.defineProperties({ applicationId, id, phone }, getters) as User;
}

/** One more than the page size shows whether another page follows. */
function idsOfPage(ids: number[], { afterId, beforeId, isBackward, limit }: NumericPage): number[] {
  const within = ids.filter((id) => id > (afterId ?? 0) && id < (beforeId ?? Number.POSITIVE_INFINITY));
  return isBackward ? within.reverse().slice(0, limit + 1) : within.slice(0, limit + 1);
}
