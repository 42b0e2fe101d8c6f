import type { Parameters } from '../lib/bracket-keys.ts';
import { readIdList, readText } from '../lib/parameter-values.ts';
import { usersErrors } from './errors.ts';
import { type FragmentOf, graphql } from './graphql.ts';
import { itemsBefore, readPage } from './http/pagination.ts';
import { ok, route } from './http/route.ts';
import { userDocs } from './openapi/docs/users.ts';
import { presentUser, UserFields } from './user-fields.ts';
import { readUserFilters, readUserOrder } from './user-filters.ts';

const ListUsers = graphql(
  `query ListUsers($filter: UserFilter, $orderBy: UserOrder, $first: Int!, $skip: Int!) {
    users(filter: $filter, orderBy: $orderBy, first: $first, skip: $skip) {
      totalCount
      edges { node { ...UserFields } }
    }
  }`,
  [UserFields],
);

const ListUsersByFullName = graphql(
  `query ListUsersByFullName($fullName: String!, $first: Int!, $skip: Int!) {
    usersByFullName(fullName: $fullName, first: $first, skip: $skip) {
      totalCount
      edges { node { ...UserFields } }
    }
  }`,
  [UserFields],
);

const ListUsersByTags = graphql(
  `query ListUsersByTags($tags: [String!]!, $first: Int!, $skip: Int!) {
    usersByTags(tags: $tags, first: $first, skip: $skip) {
      totalCount
      edges { node { ...UserFields } }
    }
  }`,
  [UserFields],
);

/** Pages of users. Only the plain list knows filters and an order. */
export const userListRoutes = [
  route({
    method: 'get',
    path: '/users',
    xml: 'users',
    document: ListUsers,
    variables: ({ given }) => ({ ...window(given), filter: filterOf(given), orderBy: readUserOrder(given) }),
    respond: ({ users }, { given }) => ok(presentPage(users, given)),
    errors: usersErrors,
    docs: userDocs.listUsers,
  }),
  route({
    method: 'get',
    path: '/users/by_full_name',
    xml: 'users',
    document: ListUsersByFullName,
    variables: ({ given }) => ({ ...window(given), fullName: readText(given.full_name) ?? '' }),
    respond: ({ usersByFullName }, { given }) => ok(presentPage(usersByFullName, given)),
    errors: usersErrors,
    docs: userDocs.listUsersByFullName,
  }),
  route({
    method: 'get',
    path: '/users/by_tags',
    xml: 'users',
    document: ListUsersByTags,
    variables: ({ given }) => ({ ...window(given), tags: readIdList(given.tags) }),
    respond: ({ usersByTags }, { given }) => ok(presentPage(usersByTags, given)),
    errors: usersErrors,
    docs: userDocs.listUsersByTags,
  }),
];

function window(given: Parameters) {
  const page = readPage(given);
  return { first: page.perPage, skip: itemsBefore(page) };
}

/** Without filters there is no filter, so that the number of all users need not be counted. */
function filterOf(given: Parameters) {
  const and = readUserFilters(given);
  return and.length > 0 ? { and } : undefined;
}

interface UsersFound {
  totalCount: number;
  edges: ({ node: FragmentOf<typeof UserFields> } | null)[] | null;
}

function presentPage({ totalCount, edges }: UsersFound, given: Parameters) {
  const { page, perPage } = readPage(given);
  return {
    current_page: page,
    per_page: perPage,
    total_entries: totalCount,
    items: edges?.flatMap((edge) => (edge ? [presentUser(edge.node)] : [])) ?? [],
  };
}
