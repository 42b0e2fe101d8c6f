import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { MAX_UDID } from '../../../resolvers/address-book/rules.ts';
import { contactShape } from '../../shapes/contact.ts';
import { userShape } from '../../shapes/user.ts';
import { docsOf } from './operation-docs.ts';
import { closed, described, listOf } from './schemas.ts';

const longUdid = new UnprocessableError(problem('UDID_TOO_LONG', { max: MAX_UDID }));
const errors = [new NotFoundError('ADDRESS_BOOK_EMPTY'), longUdid];

const { id, phone } = userShape.bareSchema.properties;
const compact = closed({ id: id!, phone: phone! });

export const addressBookDocs = docsOf('Address book', {
  uploadContacts: {
    summary: 'Upload contacts',
    description:
      'Adds, renames and removes contacts in an address book of the caller. Invalid contacts are skipped and ' +
      'reported under `rejected`; the response is still 200. The body may have up to 4 MiB.',
    errors: [new UnprocessableError('CONTACTS_NOT_A_LIST'), longUdid],
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
    operationId: 'listContacts',
    summary: 'List contacts',
    description:
      'Returns all contacts of an address book of the caller, in the order of their first upload. Returns 404 ' +
      'if the address book is empty.',
    answer: listOf(contactShape.schema),
    errors,
    examples: [{}],
  },
  listRegisteredContacts: {
    operationId: 'listRegisteredContacts',
    summary: 'List users among the contacts',
    description:
      'Returns the users of the application whose phone number is in the address book, sorted by id. If the ' +
      'application forbids listing its users, only their id and phone are returned. Returns 404 if the address ' +
      'book is empty.',
    answer: closed({
      items: described(
        { anyOf: [listOf(userShape.schema), listOf(closed({ user: compact }))] },
        'The users, each once.',
      ),
    }),
    errors,
    examples: [{}, { summary: 'Only id and phone', query: { compact: 1 } }],
  },
});
