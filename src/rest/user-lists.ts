import type { Parameters } from '../lib/bracket-keys.ts';
import { readIdList, readText } from '../lib/parameter-values.ts';
import { usersErrors } from './errors.ts';
import { graphql } from './graphql.ts';
import { pageWindow, presentPage } from './http/pagination.ts';
import { ok, route } from './http/route.ts';
import { userDocs } from './openapi/docs/users.ts';
import { userShape } from './shapes/user.ts';
import { readUserFilters, readUserOrder } from './user-filters.ts';

const ListUsers = graphql(
  `query ListUsers($filter: UserFilter, $orderBy: UserOrder, $first: Int!, $skip: Int!) {
    users(filter: $filter, orderBy: $orderBy, first: $first, skip: $skip) {
      totalCount
      edges { node { ...UserFields } }
    }
  }`,
  [userShape],
);

const ListUsersByFullName = graphql(
  `query ListUsersByFullName($fullName: String!, $first: Int!, $skip: Int!) {
    usersByFullName(fullName: $fullName, first: $first, skip: $skip) {
      totalCount
      edges { node { ...UserFields } }
    }
  }`,
  [userShape],
);

const ListUsersByTags = graphql(
  `query ListUsersByTags($tags: [String!]!, $first: Int!, $skip: Int!) {
    usersByTags(tags: $tags, first: $first, skip: $skip) {
      totalCount
      edges { node { ...UserFields } }
    }
  }`,
  [userShape],
);

export const userListRoutes = [
  route({
    method: 'get',
    path: '/users',
    xml: 'users',
    document: ListUsers,
    variables: ({ parameters }) => ({
      ...pageWindow(parameters),
      filter: filterOf(parameters),
      orderBy: readUserOrder(parameters),
    }),
    respond: ({ users }, { parameters }) => ok(presentPage(users, parameters, userShape.present)),
    errors: usersErrors,
    docs: userDocs.listUsers,
  }),
  route({
    method: 'get',
    path: '/users/by_full_name',
    xml: 'users',
    document: ListUsersByFullName,
    variables: ({ parameters }) => ({ ...pageWindow(parameters), fullName: readText(parameters.full_name) ?? '' }),
    respond: ({ usersByFullName }, { parameters }) => ok(presentPage(usersByFullName, parameters, userShape.present)),
    errors: usersErrors,
    docs: userDocs.listUsersByFullName,
  }),
  route({
    method: 'get',
    path: '/users/by_tags',
    xml: 'users',
    document: ListUsersByTags,
    variables: ({ parameters }) => ({ ...pageWindow(parameters), tags: readIdList(parameters.tags) }),
    respond: ({ usersByTags }, { parameters }) => ok(presentPage(usersByTags, parameters, userShape.present)),
    errors: usersErrors,
    docs: userDocs.listUsersByTags,
  }),
];

function filterOf(parameters: Parameters) {
  const and = readUserFilters(parameters);
  return and.length > 0 ? { and } : undefined;
}
