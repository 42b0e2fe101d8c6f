import {
  InvalidFieldsError,
  NoSuchUserError,
  NotFoundError,
  NoUpdateDataError,
  OtherUserError,
  PasswordResetOffError,
  UnknownUserError,
  UnprocessableError,
  UsersListingForbiddenError,
} from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { changeProblems, emailProblems, newUserProblems } from '../../../resolvers/users/rules.ts';
import { userShape } from '../../shapes/user.ts';
import { badPageSize } from './errors.ts';
import { pageOf } from './lists.ts';
import { docsOf, type RouteDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';

const broken = { login: 'a'.repeat(99), password: 'short' };
function lookup(summary: string, first: string, example: Record<string, string>) {
  return {
    tag: 'Users',
    summary,
    description: `${first} Returns 404 if there is none, or if the parameter is missing.`,
    errors: [new NoSuchUserError()],
    examples: [{ query: example }],
  } satisfies RouteDocs;
}

export const userDocs = docsOf('Users', {
  createUser: {
    summary: 'Create a user',
    description:
      'Creates a user. `password` and at least one of `login`, `email` and `phone` are required. The session of ' +
      'the caller does not change. The response to invalid input lists all invalid fields.',
    status: 201,
    errors: [new InvalidFieldsError(newUserProblems(broken)), new InvalidFieldsError({ login: ['TAKEN'] })],
    examples: [
      { body: { user: { login: 'dave', password: 'correct-horse', full_name: 'Dave', tag_list: 'driver,night' } } },
    ],
  },
  listUsers: {
    summary: 'List users',
    description:
      'Returns a page of the users of the application, in ascending order of `id` by default. Sessions receive ' +
      '403 if the application forbids listing its users.',
    answer: pageOf(userShape.schema),
    errors: [
      new UsersListingForbiddenError(),
      new UnprocessableError(problem('FILTER_INCORRECT', { filter: 'number id like 3' })),
      new UnprocessableError(problem('ORDER_INCORRECT', { order: 'id' })),
      badPageSize,
    ],
    examples: [{ query: { 'filter[]': ['number id gt 0'], order: 'desc string created_at', page: 1, per_page: 25 } }],
  },
  listUsersByFullName: {
    summary: 'Find users by full name',
    description:
      'Returns a page of the users whose full name contains every given word, letter case ignored. Returns 404 ' +
      'if no user matches. Sessions receive 403 if the application forbids listing its users.',
    answer: pageOf(userShape.schema),
    errors: [new NoSuchUserError(), new UsersListingForbiddenError(), new UnprocessableError('PAGE_INVALID')],
    examples: [{ query: { full_name: 'Alice Liddell' } }],
  },
  listUsersByTags: {
    summary: 'Find users by tags',
    description:
      'Returns a page of the users that have at least one of the tags. Returns 404 if no user matches. Sessions ' +
      'receive 403 if the application forbids listing its users.',
    answer: pageOf(userShape.schema),
    errors: [new NoSuchUserError(), new UsersListingForbiddenError(), new UnprocessableError('PAGE_INVALID')],
    examples: [{ query: { tags: ['reader', 'chess'] } }],
  },
  findUserByLogin: lookup('Get a user by login', 'Returns the user with this login, letter case ignored.', {
    login: 'alice',
  }),
  findUserByEmail: lookup('Get a user by email', 'Returns the user with this email address, letter case ignored.', {
    email: 'alice@example.org',
  }),
  findUserByFacebookId: lookup('Get a user by Facebook id', 'Returns the user with this Facebook account.', {
    facebook_id: '100200',
  }),
  findUserByTwitterId: lookup('Get a user by Twitter id', 'Returns the user with this Twitter account.', {
    twitter_id: '300400',
  }),
  findUserByPhone: lookup('Get a user by phone', 'Returns the oldest user with exactly this phone number.', {
    phone: '4402079460000',
  }),
  findUser: {
    summary: 'Get a user',
    description: 'Returns one user of the application. For an unknown id, the response is 404 without a body.',
    errors: [new UnknownUserError()],
    examples: [{ path: { id: SAMPLES.user } }],
  },
  findUserByExternalId: {
    summary: 'Get a user by external id',
    description:
      'Returns the user with this id in an integrated external system. For an unknown id, the response is 404 ' +
      'without a body.',
    errors: [new UnknownUserError()],
    examples: [{ path: { externalUserId: SAMPLES.externalUser } }],
  },
  updateUser: {
    summary: 'Update a user',
    description:
      'Changes the given fields of a user; omitted fields keep their values. Users can update only themselves ' +
      'and receive 401 for others; an API key alone can update any user. A new password ends the other sessions ' +
      'of the user. A change of email, phone or login is reported by mail to the previous email address, ' +
      'unless an API key alone makes it.',
    errors: [
      new NoUpdateDataError(),
      new OtherUserError(),
      new UnknownUserError(),
      new InvalidFieldsError(changeProblems(broken, { oldPassword: ['INVALID'] })),
    ],
    examples: [
      { path: { id: SAMPLES.user }, body: { user: { full_name: 'Alice Liddell', website: 'https://example.org' } } },
    ],
  },
  deleteUser: {
    summary: 'Delete a user',
    description:
      'Deletes a user with their sessions, push subscriptions, address books, reactions and dialog memberships. ' +
      'Their messages, records, events and files remain. Users can delete only themselves and receive 401 for ' +
      'others; an API key alone can delete any user. For an unknown id, the response is 404 without a body.',
    answer: 'nothing',
    errors: [new OtherUserError(), new UnknownUserError()],
    examples: [{ path: { id: SAMPLES.user } }],
  },
  deleteUserByExternalId: {
    summary: 'Delete a user by external id',
    description: 'Deletes the user with this id in an integrated external system, like `DELETE /users/{id}`.',
    answer: 'nothing',
    errors: [new OtherUserError(), new UnknownUserError()],
    examples: [{ path: { externalUserId: SAMPLES.externalUser } }],
  },
  requestPasswordReset: {
    summary: 'Send a password reset mail',
    description:
      'Mails the user with this email address a link to set a new password. The link works once, within one ' +
      'hour. At most one mail per minute is sent to an address; further requests succeed without sending one. ' +
      'For an unknown address, the response is 404 with the body `null`. Limited to 30 requests per minute and ' +
      'client address.',
    errors: [
      new PasswordResetOffError(),
      new NotFoundError('EMAIL_UNKNOWN'),
      new InvalidFieldsError({ email: emailProblems('alice') }),
    ],
    examples: [{ query: { email: 'alice@example.org' } }],
  },
});
