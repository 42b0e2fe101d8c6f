import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { InvalidFieldsError, NotFoundError } from '../lib/errors.ts';
import { readList, readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { usersErrors } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { created, ok, route } from './route.ts';

const UserFields = graphql(`fragment UserFields on User {
  id fullName email login phone website createdAt updatedAt lastRequestAt externalUserId facebookId twitterId blobId
  customData parentsContacts ageOver16 allowStatisticsAnalysis allowSalesActivities tags
}`);

const CreateUser = graphql(
  `mutation CreateUser($input: CreateUserInput!) { createUser(input: $input) { ...UserFields } }`,
  [UserFields],
);

const FindUser = graphql(`query FindUser($id: Int!) { user(id: $id) { ...UserFields } }`, [UserFields]);

export const userRoutes = [
  route({
    method: 'post',
    path: '/users',
    document: CreateUser,
    variables: ({ given }) => ({ input: userInput(given.user) }),
    respond: ({ createUser }) => created(presentUser(createUser)),
    errors: usersErrors,
  }),
  route({
    method: 'get',
    path: '/users/:id',
    document: FindUser,
    variables: ({ path }) => ({ id: integerId(path.id!) }),
    respond: ({ user }) => ok(presentUser(user)),
    errors: usersErrors,
  }),
];

function userInput(value: ParameterValue | undefined) {
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
    tags: readList(user.tag_list).flatMap((tag) => readText(tag) ?? []),
    ageOver16: user.age_over16,
    allowStatisticsAnalysis: user.allow_statistics_analysis,
    allowSalesActivities: user.allow_sales_activities,
  };
}

/** Objects and lists as their JSON text. */
function textOrJson(value: ParameterValue | undefined): string | null | undefined {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : readText(value);
}

/** An integer id of a path: malformed 422, beyond what is ever given 404 (gaps §1.1). */
function integerId(text: string): number {
  const id = /^\d+$/.test(text) ? Number(text) : 0;
  if (id === 0) throw new InvalidFieldsError({ id: ['should be a positive integer'] });
  if (!isDatabaseId(id)) throw new NotFoundError();
  return id;
}

function presentUser(masked: FragmentOf<typeof UserFields>) {
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
