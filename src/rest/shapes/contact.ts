import { contactProblems } from '../../resolvers/address-book/rules.ts';
import { graphql } from '../graphql.ts';
import { described, listOf, mapOf, text } from '../openapi/docs/schemas.ts';
import { computed, optional, shape } from './shape.ts';

export const contactShape = shape('Contact', { name: 'name', phone: 'phone' });

export const uploadedContactsShape = shape('UploadedContacts', {
  created: 'created',
  updated: 'updated',
  deleted: 'deleted',
  rejected: optional(
    computed(
      graphql(`fragment Rejected on UploadedContacts { rejected { index errors } }`),
      described(
        mapOf({ ...listOf(text), examples: [contactProblems({}), contactProblems({ name: '', phone: '1' })] }),
        'Messages by index of the rejected contact, from 0. Absent if all contacts were accepted.',
      ),
      ({ rejected }) =>
        rejected.length > 0 ? Object.fromEntries(rejected.map(({ index, errors }) => [index, errors])) : null,
    ),
  ),
});
