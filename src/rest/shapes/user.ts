import { graphql } from '../graphql.ts';
import { described, nullable, text } from '../openapi/docs/schemas.ts';
import { joinTags } from './conversions.ts';
import { computed, shape } from './shape.ts';

export const userShape = shape(
  'User',
  {
    id: 'id',
    full_name: 'fullName',
    email: 'email',
    login: 'login',
    phone: 'phone',
    website: 'website',
    created_at: 'createdAt',
    updated_at: 'updatedAt',
    last_request_at: 'lastRequestAt',
    external_user_id: 'externalUserId',
    facebook_id: 'facebookId',
    twitter_id: 'twitterId',
    blob_id: ['blobId', text, String],
    custom_data: 'customData',
    parents_contacts: 'parentsContacts',
    age_over16: 'ageOver16',
    allow_statistics_analysis: 'allowStatisticsAnalysis',
    allow_sales_activities: 'allowSalesActivities',
    user_tags: computed(
      graphql(`fragment Tags on User { tags }`),
      described(nullable(text), 'Tags, separated by commas; null if there are none.'),
      ({ tags }) => joinTags(tags),
    ),
  },
  { wrapper: 'user' },
);
