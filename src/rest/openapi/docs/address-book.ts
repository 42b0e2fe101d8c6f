import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { MAX_UDID, NAME, PHONE } from '../../../resolvers/address-book/rules.ts';
import { contactShape, uploadedContactsShape } from '../../shapes/contact.ts';
import { userShape } from '../../shapes/user.ts';
import { argumentsOf, inputOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { closed, described, flag, listOf, requestObject, text, together } from './schemas.ts';

const udid = {
  ...text,
  maxLength: MAX_UDID,
  description: `Device of the address book, up to ${MAX_UDID} characters. Omit for the address book without a device.`,
};
const device = argumentsOf('Query.addressBook', { udid: ['udid', udid] });
const longUdid = new UnprocessableError(`Length of 'udid' field should be max: ${MAX_UDID}.`);
const errors = [new NotFoundError('Empty address book'), longUdid];

const contact = inputOf(
  'ContactInput',
  {
    name: [
      'name',
      described(
        { ...text, minLength: NAME.min, maxLength: NAME.max },
        `Name of the contact, ${NAME.min} to ${NAME.max} characters. Required unless \`destroy\` is set.`,
      ),
    ],
    phone: [
      'phone',
      described(
        { ...text, minLength: PHONE.min, maxLength: PHONE.max },
        `Phone number, ${PHONE.min} to ${PHONE.max} characters. Identifies the contact in the address book.`,
      ),
    ],
    destroy: ['destroy', described(flag, '1 removes the contact. Default 0.')],
  },
  ['phone'],
);

const { id, phone } = userShape.bareSchema.properties;
const compact = closed({ id: id!, phone: phone! });

export const addressBookDocs = {
  uploadContacts: {
    tag: 'Address book',
    summary: 'Upload contacts',
    description:
      'Adds, renames and removes contacts in an address book of the caller. Invalid contacts are skipped and ' +
      'reported under `rejected`; the response is still 200. The body may have up to 4 MiB.',
    body: argumentsOf(
      'Mutation.uploadContacts',
      {
        contacts: ['contacts', described(listOf(contact), 'Contacts to add, rename or remove.')],
        udid: ['udid', udid],
        force: ['force', described(flag, '1 removes all contacts that are not in the request. Default 0.')],
      },
      ['contacts'],
    ),
    answer: uploadedContactsShape.schema,
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
    operationId: 'listContacts',
    summary: 'List contacts',
    description:
      'Returns all contacts of an address book of the caller, in the order of their first upload. Returns 404 ' +
      'if the address book is empty.',
    query: device,
    answer: listOf(contactShape.schema),
    errors,
    examples: [{}],
  },
  listRegisteredContacts: {
    tag: 'Address book',
    operationId: 'listRegisteredContacts',
    summary: 'List users among the contacts',
    description:
      'Returns the users of the application whose phone number is in the address book, sorted by id. If the ' +
      'application forbids listing its users, only their id and phone are returned. Returns 404 if the address ' +
      'book is empty.',
    query: together(
      device,
      requestObject({
        compact: described(flag, '1 returns only the id and phone of each user. Default 0.'),
        force: described(flag, 'Accepted for compatibility; has no effect.'),
      }),
    ),
    answer: closed({
      items: described(
        { anyOf: [listOf(userShape.schema), listOf(closed({ user: compact }))] },
        'The users, each once.',
      ),
    }),
    errors,
    examples: [{}, { summary: 'Only id and phone', query: { compact: 1 } }],
  },
} satisfies Record<string, OperationDocs>;
