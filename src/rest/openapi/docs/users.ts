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
import {
  changeProblems,
  emailProblems,
  MAX_TAG,
  MAX_TAGS,
  newUserProblems,
  USER_LENGTHS,
} from '../../../resolvers/users/rules.ts';
import { userShape } from '../../shapes/user.ts';
import { FIELDS, ORDERS } from '../../user-filters.ts';
import { argumentsOf, inputOf, type Renaming } from './from-graphql.ts';
import { pageOf, pageParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { integerId, listOf, requestObject, type Schema, text, together } from './schemas.ts';

function textOf({ min, max }: { min: number; max: number }): Schema {
  return { ...text, ...(min > 0 ? { minLength: min } : {}), maxLength: max };
}

/** What is given under `user`. */
const parameters: Record<string, Renaming> = {
  login: ['login', { ...textOf(USER_LENGTHS.login), pattern: '^[A-Za-z0-9._@+-]*$' }],
  email: ['email', textOf(USER_LENGTHS.email)],
  password: ['password', textOf(USER_LENGTHS.password)],
  full_name: ['fullName', textOf(USER_LENGTHS.fullName)],
  phone: 'phone',
  website: ['website', textOf(USER_LENGTHS.website)],
  external_user_id: ['externalUserId', { type: 'integer', minimum: 1 }],
  facebook_id: 'facebookId',
  twitter_id: 'twitterId',
  blob_id: ['blobId', integerId],
  custom_data: ['customData', { ...textOf(USER_LENGTHS.customData), type: ['string', 'object', 'array'] }],
  parents_contacts: ['parentsContacts', textOf(USER_LENGTHS.parentsContacts)],
  tag_list: ['tags', { type: ['string', 'array'], items: { ...text, maxLength: MAX_TAG }, maxItems: MAX_TAGS }],
  age_over16: 'ageOver16',
  allow_statistics_analysis: 'allowStatisticsAnalysis',
  allow_sales_activities: 'allowSalesActivities',
};

const broken = { login: 'a'.repeat(99), password: 'short' };
const path = { id: integerId };
const externalPath = { externalUserId: argumentsOf('Query.userByExternalId', { id: 'externalUserId' }).properties.id! };

function lookup(summary: string, operation: string, [name, field]: [string, string], value: string) {
  return {
    tag: 'Users',
    summary,
    query: argumentsOf(operation, { [name]: field }, [name]),
    answer: userShape.schema,
    errors: [new NoSuchUserError()],
    examples: [{ query: { [name]: value } }],
  } satisfies OperationDocs;
}

export const userDocs = {
  createUser: {
    tag: 'Users',
    summary: 'Sign a user up',
    description: 'At least one of `login`, `email` and `phone` is needed.',
    body: requestObject({ user: inputOf('CreateUserInput', parameters, ['password']) }, ['user']),
    status: 201,
    answer: userShape.schema,
    errors: [
      new InvalidFieldsError(newUserProblems(broken)),
      new InvalidFieldsError({ login: ['has already been taken'] }),
    ],
    examples: [
      { body: { user: { login: 'dave', password: 'correct-horse', full_name: 'Dave', tag_list: 'driver,night' } } },
    ],
  },
  listUsers: {
    tag: 'Users',
    summary: 'Users of the application',
    description:
      'A filter is `<type> <field> <operator> <value>`, with the type `number`, `string` or `date`; a field of ' +
      `${Object.keys(FIELDS).join(', ')}; an operator of \`eq\`, \`ne\`, \`in\`, and but for texts \`gt\`, \`lt\`, ` +
      '`ge`, `le`, `between`.',
    query: together(
      requestObject({
        'filter[]': { ...listOf(text), examples: [['number id gt 3']] },
        order: {
          ...text,
          pattern: `^(asc|desc)[ +]\\w+[ +](${Object.keys(ORDERS).join('|')})$`,
          default: 'asc number id',
        },
      }),
      pageParameters,
    ),
    answer: pageOf(userShape.schema),
    errors: [
      new UsersListingForbiddenError(),
      new UnprocessableError('Incorrect filter: number id like 3'),
      new UnprocessableError('Incorrect order: id'),
      new UnprocessableError('per_page should be between 1 and 100'),
    ],
    examples: [{ query: { 'filter[]': ['number id gt 0'], order: 'desc string created_at', page: 1, per_page: 25 } }],
  },
  listUsersByFullName: {
    tag: 'Users',
    summary: 'Users by words of their names',
    query: together(argumentsOf('Query.usersByFullName', { full_name: 'fullName' }, ['full_name']), pageParameters),
    answer: pageOf(userShape.schema),
    errors: [
      new NoSuchUserError(),
      new UsersListingForbiddenError(),
      new UnprocessableError('page should be greater than 0'),
    ],
    examples: [{ query: { full_name: 'Alice Liddell' } }],
  },
  listUsersByTags: {
    tag: 'Users',
    summary: 'Users by tags',
    query: together(argumentsOf('Query.usersByTags', { tags: 'tags' }, ['tags']), pageParameters),
    answer: pageOf(userShape.schema),
    errors: [
      new NoSuchUserError(),
      new UsersListingForbiddenError(),
      new UnprocessableError('page should be greater than 0'),
    ],
    examples: [{ query: { tags: ['reader', 'chess'] } }],
  },
  findUserByLogin: lookup('A user by login', 'Query.userByLogin', ['login', 'login'], 'alice'),
  findUserByEmail: lookup('A user by e-mail', 'Query.userByEmail', ['email', 'email'], 'alice@example.org'),
  findUserByFacebookId: lookup(
    'A user by Facebook account',
    'Query.userByFacebookId',
    ['facebook_id', 'facebookId'],
    '100200',
  ),
  findUserByTwitterId: lookup(
    'A user by Twitter account',
    'Query.userByTwitterId',
    ['twitter_id', 'twitterId'],
    '300400',
  ),
  findUserByPhone: lookup('A user by phone', 'Query.userByPhone', ['phone', 'phone'], '4402079460000'),
  findUser: {
    tag: 'Users',
    summary: 'A user',
    path,
    answer: userShape.schema,
    errors: [new UnknownUserError()],
    examples: [{ path: { id: SAMPLES.user } }],
  },
  findUserByExternalId: {
    tag: 'Users',
    summary: 'A user by the id of another system',
    path: externalPath,
    answer: userShape.schema,
    errors: [new UnknownUserError()],
    examples: [{ path: { externalUserId: SAMPLES.externalUser } }],
  },
  updateUser: {
    tag: 'Users',
    summary: 'Change a user',
    path,
    body: requestObject({ user: inputOf('UpdateUserInput', { ...parameters, old_password: 'oldPassword' }) }, ['user']),
    answer: userShape.schema,
    errors: [
      new NoUpdateDataError(),
      new OtherUserError(),
      new UnknownUserError(),
      new InvalidFieldsError(changeProblems(broken, { oldPassword: ['is invalid'] })),
    ],
    examples: [
      { path: { id: SAMPLES.user }, body: { user: { full_name: 'Alice Liddell', website: 'https://example.org' } } },
    ],
  },
  deleteUser: {
    tag: 'Users',
    summary: 'Delete a user',
    path,
    answer: 'nothing',
    errors: [new OtherUserError(), new UnknownUserError()],
    examples: [{ path: { id: SAMPLES.user } }],
  },
  deleteUserByExternalId: {
    tag: 'Users',
    summary: 'Delete a user by the id of another system',
    path: externalPath,
    answer: 'nothing',
    errors: [new OtherUserError(), new UnknownUserError()],
    examples: [{ path: { externalUserId: SAMPLES.externalUser } }],
  },
  requestPasswordReset: {
    tag: 'Users',
    summary: 'Mail a user a link for a new password',
    query: argumentsOf('Mutation.requestPasswordReset', { email: 'email' }, ['email']),
    answer: 'nothing',
    errors: [
      new PasswordResetOffError(),
      new NotFoundError('No user has this email'),
      new InvalidFieldsError({ email: emailProblems('alice') }),
    ],
    examples: [{ query: { email: 'alice@example.org' } }],
  },
} satisfies Record<string, OperationDocs>;
