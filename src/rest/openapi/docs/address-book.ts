import { NotFoundError, UnprocessableError } from '../../../lib/errors.ts';
import { MAX_UDID, NAME, PHONE } from '../../../resolvers/address-book/rules.ts';
import { contactShape, uploadedContactsShape } from '../../shapes/contact.ts';
import { userShape } from '../../shapes/user.ts';
import { argumentsOf, inputOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { closed, described, flag, listOf, requestObject, text, together } from './schemas.ts';

const udid = { ...text, maxLength: MAX_UDID };
const device = argumentsOf('Query.addressBook', { udid: ['udid', udid] });
const longUdid = new UnprocessableError(`Length of 'udid' field should be max: ${MAX_UDID}.`);
const errors = [new NotFoundError('Empty address book'), longUdid];

const contact = inputOf(
  'ContactInput',
  {
    name: ['name', { ...text, minLength: NAME.min, maxLength: NAME.max }],
    phone: ['phone', { ...text, minLength: PHONE.min, maxLength: PHONE.max }],
    destroy: 'destroy',
  },
  ['phone'],
);

const { id, phone } = userShape.bareSchema.properties;
const compact = closed({ id: id!, phone: phone! });

export const addressBookDocs = {
  uploadContacts: {
    tag: 'Address book',
    summary: 'Upload contacts',
    body: argumentsOf(
      'Mutation.uploadContacts',
      { contacts: ['contacts', listOf(contact)], udid: ['udid', udid], force: 'force' },
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
    summary: 'The address book',
    query: device,
    answer: listOf(contactShape.schema),
    errors,
    examples: [{}],
  },
  listRegisteredContacts: {
    tag: 'Address book',
    operationId: 'listRegisteredContacts',
    summary: 'Users in the address book',
    query: together(
      device,
      requestObject({
        compact: described(flag, 'Only id and phone of each.'),
        force: described(flag, 'Accepted, without effect.'),
      }),
    ),
    answer: closed({
      items: {
        anyOf: [listOf(userShape.schema), listOf(closed({ user: compact }))],
      },
    }),
    errors,
    examples: [{}, { summary: 'Only id and phone', query: { compact: 1 } }],
  },
} satisfies Record<string, OperationDocs>;
