import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { contactProblems, MAX_UDID, NAME, PHONE } from '../../../resolvers/address-book/rules.ts';
import { argumentsOf, asked, shown } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { closed, described, flag, listOf, mapOf, asked as objectAsked, text, together } from './schemas.ts';
import { user } from './users.ts';

const udid = { ...text, maxLength: MAX_UDID };
const device = argumentsOf('Query.addressBook', { udid: ['udid', udid] });
const longUdid = new UnprocessableError(`Length of 'udid' field should be max: ${MAX_UDID}.`);
const errors = [new NotFoundError('Empty address book'), longUdid];

const contact = asked(
  'ContactInput',
  {
    name: ['name', { ...text, minLength: NAME.min, maxLength: NAME.max }],
    phone: ['phone', { ...text, minLength: PHONE.min, maxLength: PHONE.max }],
    destroy: 'destroy',
  },
  ['phone'],
);

export const addressBookDocs = {
  uploadContacts: {
    tag: 'Address book',
    summary: 'Upload contacts',
    body: argumentsOf(
      'Mutation.uploadContacts',
      { contacts: ['contacts', listOf(contact)], udid: ['udid', udid], force: 'force' },
      ['contacts'],
    ),
    answer: shown(
      'UploadedContacts',
      {
        created: 'created',
        updated: 'updated',
        deleted: 'deleted',
        rejected: described(
          mapOf({ ...listOf(text), examples: [contactProblems({}), contactProblems({ name: '', phone: '1' })] }),
          'Why entries were left out, by their places from 0; only when some were.',
        ),
      },
      ['rejected'],
    ),
    errors: [new UnprocessableError('Contacts should be an array'), longUdid],
    examples: [
      {
        body: {
          contacts: [
            { name: 'Bob', phone: '4402079460001' },
            { phone: '4402079460002', destroy: 1 },
          ],
          force: 1,
        },
      },
    ],
  },
  listContacts: {
    tag: 'Address book',
    summary: 'The address book',
    query: device,
    answer: listOf(shown('Contact', { name: 'name', phone: 'phone' })),
    errors,
    examples: [{}],
  },
  listRegisteredContacts: {
    tag: 'Address book',
    summary: 'Users in the address book',
    query: together(
      device,
      objectAsked({
        compact: described(flag, 'Only id and phone of each.'),
        force: described(flag, 'Accepted, without effect.'),
      }),
    ),
    answer: closed({
      items: {
        anyOf: [listOf(user), listOf(closed({ user: shown('User', { id: 'id', phone: 'phone' }) }))],
      },
    }),
    errors,
    examples: [{}, { summary: 'Only id and phone', query: { compact: 1 } }],
  },
} satisfies Record<string, OperationDocs>;
