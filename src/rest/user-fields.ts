import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { readList, readText } from '../lib/parameter-values.ts';

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

function textOrJson(value: ParameterValue | undefined): string | null | undefined {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : readText(value);
}
