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

/** `page` and `per_page`. */
export const pageParameters = requestObject({
  page: { ...integer, minimum: 1, default: 1 },
  per_page: { ...integer, minimum: 1, maximum: MAX_PAGE, default: 10 },
});

/** A page of items. */
export function pageOf(items: Schema): ObjectSchema {
  return closed({ current_page: integer, per_page: integer, total_entries: integer, items: listOf(items) });
}

/** `limit` and `skip`, which are never refused but applied as far as they can be. */
export const windowParameters = requestObject({
  limit: { ...integer, default: MAX_PAGE, description: `1 to ${MAX_PAGE}; anything else counts as ${MAX_PAGE}.` },
  skip: { ...integer, default: 0 },
});

/** How many there are, instead of them. */
export const count = closed({ items: closed({ count: integer }) });

/** The parameters of a list with filters and an order. */
export function listParameters(filters: FilterNames, sorts: Record<string, string>): ObjectSchema {
  const fields = Object.fromEntries(Object.entries(filters).map(([name, [, type]]) => [name, filterOf(type)]));
  return together(requestObject(fields), orderParameters(Object.keys(sorts)), windowParameters, countParameter);
}

export const countParameter = requestObject({ count: described(flag, 'Answer only how many there are.') });

function orderParameters(names: string[]): ObjectSchema {
  const name = oneOfTexts(names);
  return requestObject({ sort_asc: name, sort_desc: described(name, 'Counts if both are given.') });
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

/** A value that the field has to have, or operators with their arguments: `name[ctn]=x`. */
function filterOf(type: FilterType): Schema {
  const value = VALUES[type];
  const list = described(text, 'A list: `1,2`.');
  const isList = type === 'integers' || type === 'texts';
  const operators = {
    ...(isList || type === 'text' ? {} : { lt: value, lte: value, gt: value, gte: value }),
    ne: value,
    in: list,
    nin: list,
    ...(isList ? { all: described(list, 'Holds every one of them.') } : {}),
    or: described(list, 'Equals one of them; several `[or]` are alternatives.'),
    ...(type === 'text' ? { ctn: described(text, 'Part of it, letter case ignored.') } : {}),
  };
  const names = Object.keys(operators).map((name) => `\`${name}\``);
  return {
    anyOf: [value, { ...requestObject(operators), additionalProperties: false }],
    description: `The value, or operators with theirs (\`[in]=…\`): ${names.join(', ')}.`,
  };
}
