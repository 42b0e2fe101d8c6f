import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { readList, readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';

export const UserFields = graphql(`fragment UserFields on User {
  id fullName email login phone website createdAt updatedAt lastRequestAt externalUserId facebookId twitterId blobId
  customData parentsContacts ageOver16 allowStatisticsAnalysis allowSalesActivities tags
}`);

/** What is given under `user`; what is not there is undefined. */
export function userInput(value: ParameterValue | undefined) {
  const user: Parameters = isObject(value) ? value : {};
  return {
    login: readText(user.login),
    email: readText(user.email),
    password: readText(user.password),
    fullName: readText(user.full_name),
    phone: readText(user.phone),
    website: readText(user.website),
    facebookId: readText(user.facebook_id),
    twitterId: readText(user.twitter_id),
    externalUserId: textOrJson(user.external_user_id),
    blobId: textOrJson(user.blob_id),
    customData: textOrJson(user.custom_data),
    parentsContacts: readText(user.parents_contacts),
    tags: tagsOf(user.tag_list),
    ageOver16: user.age_over16,
    allowStatisticsAnalysis: user.allow_statistics_analysis,
    allowSalesActivities: user.allow_sales_activities,
  };
}

function tagsOf(value: ParameterValue | undefined): string[] | undefined {
  return value === undefined ? undefined : readList(value).flatMap((tag) => readText(tag) ?? []);
}

/** Objects and lists as their JSON text. */
function textOrJson(value: ParameterValue | undefined): string | null | undefined {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : readText(value);
}

export function presentUser(masked: FragmentOf<typeof UserFields>) {
  const user = readFragment(UserFields, masked);
  return {
    user: {
      id: user.id,
      full_name: user.fullName,
      email: user.email,
      login: user.login,
      phone: user.phone,
      website: user.website,
      created_at: isoSeconds(user.createdAt),
      updated_at: isoSeconds(user.updatedAt),
      last_request_at: user.lastRequestAt && isoSeconds(user.lastRequestAt),
      external_user_id: user.externalUserId,
      facebook_id: user.facebookId,
      twitter_id: user.twitterId,
      blob_id: user.blobId === null ? null : String(user.blobId),
      custom_data: user.customData,
      parents_contacts: user.parentsContacts,
      age_over16: user.ageOver16,
      allow_statistics_analysis: user.allowStatisticsAnalysis,
      allow_sales_activities: user.allowSalesActivities,
      user_tags: user.tags.length > 0 ? user.tags.join(',') : null,
    },
  };
}
