import { closed, described, integer, listOf, type ObjectSchema, type Schema } from './schemas.ts';

export function pageOf(items: Schema): ObjectSchema {
  return closed({
    current_page: described(integer, 'Number of this page, from 1.'),
    per_page: described(integer, 'Items per page, as requested.'),
    total_entries: described(integer, 'Number of items on all pages.'),
    items: described(listOf(items), 'The items of this page; empty after the last page.'),
  });
}

export const count = closed({
  items: closed({ count: described(integer, 'Number of items that match.') }),
});

export const windowMembers = {
  skip: described(integer, 'Number of skipped items, as applied.'),
  limit: described(integer, 'Maximum number of items, as applied.'),
};
