import { MAX_PAGE } from '../../../lib/pagination.ts';
import type { FilterNames, FilterType } from '../../http/lists.ts';
import {
  closed,
  described,
  flag,
  integer,
  listOf,
  moment,
  number,
  type ObjectSchema,
  oneOfTexts,
  requestObject,
  type Schema,
  text,
  together,
} from './schemas.ts';

export const pageParameters = requestObject({
  page: { ...integer, minimum: 1, default: 1, description: 'Number of the page, from 1.' },
  per_page: {
    ...integer,
    minimum: 1,
    maximum: MAX_PAGE,
    default: 10,
    description: `Items per page, 1 to ${MAX_PAGE}.`,
  },
});

export function pageOf(items: Schema): ObjectSchema {
  return closed({
    current_page: described(integer, 'Number of this page, from 1.'),
    per_page: described(integer, 'Items per page, as requested.'),
    total_entries: described(integer, 'Number of items on all pages.'),
    items: described(listOf(items), 'The items of this page; empty after the last page.'),
  });
}

/** Values out of range are not refused; the nearest valid value or the default applies. */
export const windowParameters = requestObject({
  limit: {
    ...integer,
    default: MAX_PAGE,
    description: `Maximum number of items, 1 to ${MAX_PAGE}; other values count as ${MAX_PAGE}.`,
  },
  skip: { ...integer, default: 0, description: 'Number of items to skip; invalid values count as 0.' },
});

export const count = closed({
  items: closed({ count: described(integer, 'Number of items that match.') }),
});

export const windowMembers = {
  skip: described(integer, 'Number of skipped items, as applied.'),
  limit: described(integer, 'Maximum number of items, as applied.'),
};

export function listParameters(filters: FilterNames, sorts: Record<string, string>): ObjectSchema {
  const fields = Object.fromEntries(Object.entries(filters).map(([name, [, type]]) => [name, filterOf(name, type)]));
  return together(requestObject(fields), orderParameters(Object.keys(sorts)), windowParameters, countParameter);
}

export const countParameter = requestObject({
  count: described(flag, '1 returns only the number of items, as `items.count`. Default 0.'),
});

function orderParameters(names: string[]): ObjectSchema {
  const name = oneOfTexts(names);
  return requestObject({
    sort_asc: described(name, 'Field to sort by, in ascending order.'),
    sort_desc: described(name, 'Field to sort by, in descending order; takes precedence over `sort_asc`.'),
  });
}

const VALUES: Record<FilterType, Schema> = {
  id: text,
  integer,
  text,
  moment,
  unixTime: number,
  integers: integer,
  texts: text,
};

function filterOf(field: string, type: FilterType): Schema {
  const value = VALUES[type];
  const list = (description: string) => described(text, `${description} Separate the values with commas: \`1,2\`.`);
  const isList = type === 'integers' || type === 'texts';
  const operators = {
    ...(isList || type === 'text'
      ? {}
      : {
          lt: described(value, 'Less than the value.'),
          lte: described(value, 'Less than or equal to the value.'),
          gt: described(value, 'Greater than the value.'),
          gte: described(value, 'Greater than or equal to the value.'),
        }),
    ne: described(value, 'Not equal to the value, or unset.'),
    in: list('Equal to one of the values.'),
    nin: list('Equal to none of the values.'),
    ...(isList ? { all: list('Contains all of the values.') } : {}),
    or: list('Equal to one of the values. Items that match the `or` of any field are returned.'),
    ...(type === 'text' ? { ctn: described(text, 'Contains the text, letter case ignored.') } : {}),
  };
  const names = Object.keys(operators).map((name) => `\`${name}\``);
  return {
    anyOf: [value, { ...requestObject(operators), additionalProperties: false }],
    description: `Filters by \`${field}\`: a value, or operators such as \`${field}[in]=…\`. Operators: ${names.join(', ')}.`,
  };
}
