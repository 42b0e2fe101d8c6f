import { MAX_TAG, MAX_TAGS, USER_LENGTHS } from '../../../resolvers/users/rules.ts';
import type { Renaming } from './from-graphql.ts';
import { anything, described, flag, integerId, type Schema, text } from './schemas.ts';

function rangeOf({ min, max }: { min: number; max: number }): string {
  return `${min} to ${max}`;
}

function textOf({ min, max }: { min: number; max: number }): Schema {
  return { ...text, ...(min > 0 ? { minLength: min } : {}), maxLength: max };
}

export const userParameters: Record<string, Renaming> = {
  login: [
    'login',
    described(
      { ...textOf(USER_LENGTHS.login), pattern: '^[A-Za-z0-9._@+-]*$' },
      `Name to sign in with, ${rangeOf(USER_LENGTHS.login)} characters; unique, letter case ignored.`,
    ),
  ],
  email: ['email', described(textOf(USER_LENGTHS.email), 'Email address; unique, stored in lower case.')],
  password: [
    'password',
    described(
      textOf(USER_LENGTHS.password),
      `${rangeOf(USER_LENGTHS.password)} printable ASCII characters without spaces.`,
    ),
  ],
  full_name: [
    'fullName',
    described(textOf(USER_LENGTHS.fullName), `Display name, up to ${USER_LENGTHS.fullName.max} characters.`),
  ],
  phone: ['phone', described(text, 'Phone number: 4 to 20 digits, spaces and `+()-.`; stored as sent.')],
  website: [
    'website',
    described(textOf(USER_LENGTHS.website), `Address of a website, up to ${USER_LENGTHS.website.max} characters.`),
  ],
  external_user_id: [
    'externalUserId',
    described({ type: 'integer', minimum: 1 }, 'Id of the user in an external system; unique.'),
  ],
  facebook_id: ['facebookId', described(text, 'Id of the Facebook account, 1 to 20 digits; unique.')],
  twitter_id: ['twitterId', described(text, 'Id of the Twitter account, 1 to 20 digits; unique.')],
  blob_id: ['blobId', described(integerId, 'Id of a file with the picture of the user; need not exist.')],
  custom_data: [
    'customData',
    described(
      { ...textOf(USER_LENGTHS.customData), type: ['string', 'object', 'array'], items: anything },
      `Data of the client, up to ${USER_LENGTHS.customData.max} characters. JSON values are stored as their text.`,
    ),
  ],
  parents_contacts: [
    'parentsContacts',
    described(
      textOf(USER_LENGTHS.parentsContacts),
      `Contact data of the parents of a minor, up to ${USER_LENGTHS.parentsContacts.max} characters.`,
    ),
  ],
  tag_list: [
    'tags',
    described(
      { type: ['string', 'array'], items: { ...text, maxLength: MAX_TAG }, maxItems: MAX_TAGS },
      `Up to ${MAX_TAGS} tags of 1 to ${MAX_TAG} characters, as an array or separated by commas. Replaces all tags.`,
    ),
  ],
  age_over16: ['ageOver16', described(flag, 'Whether the user states to be older than 16. Default false.')],
  allow_statistics_analysis: [
    'allowStatisticsAnalysis',
    described(flag, 'Whether the user has opted in to statistics. Default false.'),
  ],
  allow_sales_activities: [
    'allowSalesActivities',
    described(flag, 'Whether the user has opted in to marketing. Default false.'),
  ],
};
