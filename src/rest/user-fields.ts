import { type Problem, problem } from '../lib/problems.ts';
import { MAX_TAG, MAX_TAGS, USER_LENGTHS } from '../resolvers/users/rules.ts';
import { anything, flag, integerId, type Schema } from './openapi/docs/schemas.ts';
import { refusedAs, shownAs, tags, text, textOrJson, unchecked } from './parameters/readers.ts';
import { limited } from './parameters/table.ts';

function rangeOf({ min, max }: { min: number; max: number }): string {
  return `${min} to ${max}`;
}

function lengthOf({ min, max }: { min: number; max: number }): Schema {
  return { ...(min > 0 ? { minLength: min } : {}), maxLength: max };
}

const positive: Problem[] = ['NOT_POSITIVE'];

/** Parameters of `CreateUserInput` and `UpdateUserInput`. */
export const userParameters = {
  login: [
    'login',
    refusedAs(limited(text, { ...lengthOf(USER_LENGTHS.login), pattern: '^[A-Za-z0-9._@+-]*$' }), ['NOT_PRINTABLE']),
    `Name to sign in with, ${rangeOf(USER_LENGTHS.login)} characters; unique, letter case ignored.`,
  ],
  email: [
    'email',
    refusedAs(limited(text, lengthOf(USER_LENGTHS.email)), ['EMAIL_INVALID']),
    'Email address; unique, stored in lower case.',
  ],
  password: [
    'password',
    refusedAs(limited(text, lengthOf(USER_LENGTHS.password)), [
      'NOT_PRINTABLE',
      problem('TOO_SHORT', { min: USER_LENGTHS.password.min }),
    ]),
    `${rangeOf(USER_LENGTHS.password)} printable ASCII characters without spaces.`,
  ],
  full_name: [
    'fullName',
    limited(text, lengthOf(USER_LENGTHS.fullName)),
    `Display name, up to ${USER_LENGTHS.fullName.max} characters.`,
  ],
  phone: ['phone', text, 'Phone number: 4 to 20 digits, spaces and `+()-.`; stored as sent.'],
  website: [
    'website',
    limited(text, lengthOf(USER_LENGTHS.website)),
    `Address of a website, up to ${USER_LENGTHS.website.max} characters.`,
  ],
  external_user_id: [
    'externalUserId',
    refusedAs(shownAs(textOrJson, { type: 'integer', minimum: 1 }), positive),
    'Id of the user in an external system; unique.',
  ],
  facebook_id: ['facebookId', text, 'Id of the Facebook account, 1 to 20 digits; unique.'],
  twitter_id: ['twitterId', text, 'Id of the Twitter account, 1 to 20 digits; unique.'],
  blob_id: [
    'blobId',
    refusedAs(shownAs(textOrJson, integerId), positive),
    'Id of a file with the picture of the user; need not exist.',
  ],
  custom_data: [
    'customData',
    limited(textOrJson, { ...lengthOf(USER_LENGTHS.customData), type: ['string', 'object', 'array'], items: anything }),
    `Data of the client, up to ${USER_LENGTHS.customData.max} characters. JSON values are stored as their text.`,
  ],
  parents_contacts: [
    'parentsContacts',
    limited(text, lengthOf(USER_LENGTHS.parentsContacts)),
    `Contact data of the parents of a minor, up to ${USER_LENGTHS.parentsContacts.max} characters.`,
  ],
  tag_list: [
    'tags',
    limited(tags, { items: { ...text.schema, maxLength: MAX_TAG }, maxItems: MAX_TAGS }),
    `Up to ${MAX_TAGS} tags of 1 to ${MAX_TAG} characters, as an array or separated by commas. Replaces all tags.`,
  ],
  age_over16: ['ageOver16', shownAs(unchecked, flag), 'Whether the user states to be older than 16. Default false.'],
  allow_statistics_analysis: [
    'allowStatisticsAnalysis',
    shownAs(unchecked, flag),
    'Whether the user has opted in to statistics. Default false.',
  ],
  allow_sales_activities: [
    'allowSalesActivities',
    shownAs(unchecked, flag),
    'Whether the user has opted in to marketing. Default false.',
  ],
} as const;
