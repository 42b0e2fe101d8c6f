import { problem } from '../lib/problems.ts';
import { usersErrors } from './errors.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { listOf, WRONG_TYPE } from './openapi/docs/schemas.ts';
import { userDocs } from './openapi/docs/users.ts';
import { page, presentPage } from './parameters/pages.ts';
import { shownAs, text, textOrEmpty, texts } from './parameters/readers.ts';
import { parameters, required, tableOf, together } from './parameters/table.ts';
import { userShape } from './shapes/user.ts';
import { FIELDS, ORDERS, readUserFilters, readUserOrder } from './user-filters.ts';

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

const names = (fields: object) =>
  Object.keys(fields)
    .map((name) => `\`${name}\``)
    .join(', ');

const userFilters = tableOf(
  {
    'filter[]': {
      ...listOf(text.schema),
      description:
        'A filter `<type> <field> <operator> <value>`; all filters must match. The type is `number`, `string` or ' +
        `\`date\`. Fields: ${names(FIELDS)}. Operators: \`eq\`, \`ne\`, \`in\` and, except for ` +
        'texts, `gt`, `lt`, `ge`, `le` and `between`. `in` and `between` take values with commas: `1,2`.',
      examples: [['number id gt 3']],
    },
    order: {
      ...text.schema,
      description: `The order \`<asc|desc> <type> <field>\`. Fields: ${names(ORDERS)}.`,
      pattern: `^(asc|desc)[ +]\\w+[ +](${Object.keys(ORDERS).join('|')})$`,
      default: 'asc number id',
      [WRONG_TYPE]: (value) => problem('ORDER_INCORRECT', { order: value }),
    },
  },
  (parameters) => {
    const and = readUserFilters(parameters);
    return { filter: and.length > 0 ? { and } : undefined, orderBy: readUserOrder(parameters) };
  },
);

export const userListRoutes = [
  route({
    method: 'get',
    path: '/users',
    xml: 'users',
    document: ListUsers,
    // Errors of the page come first.
    parameters: { ...together(userFilters, page), read: together(page, userFilters).read },
    present: ({ users }, { parameters }) => presentPage(users, parameters, userShape.present),
    errors: usersErrors,
    docs: userDocs.listUsers,
  }),
  route({
    method: 'get',
    path: '/users/by_full_name',
    xml: 'users',
    document: ListUsersByFullName,
    parameters: together(
      parameters('Query.usersByFullName', {
        full_name: ['fullName', required(textOrEmpty), 'Words or parts of words, in any order.'],
      }),
      page,
    ),
    present: ({ usersByFullName }, { parameters }) => presentPage(usersByFullName, parameters, userShape.present),
    errors: usersErrors,
    docs: userDocs.listUsersByFullName,
  }),
  route({
    method: 'get',
    path: '/users/by_tags',
    xml: 'users',
    document: ListUsersByTags,
    parameters: together(
      parameters('Query.usersByTags', {
        tags: [
          'tags',
          required(shownAs(texts, listOf(text.schema))),
          'Tags, with exact letter case, separated by commas.',
        ],
      }),
      page,
    ),
    present: ({ usersByTags }, { parameters }) => presentPage(usersByTags, parameters, userShape.present),
    errors: usersErrors,
    docs: userDocs.listUsersByTags,
  }),
];
