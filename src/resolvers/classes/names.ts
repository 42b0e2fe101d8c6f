/** Names that a field can't have, since requests and answers use them for something else. */
const RESERVED = new Set([
  'file',
  'permissions',
  'created_at',
  'updated_at',
  'user_id',
  'class_name',
  'id',
  'limit',
  'skip',
  'sort_asc',
  'sort_desc',
  'count',
  'output',
  'group_by',
  // Dropped from the parameters of every request.
  'constructor',
  'prototype',
]);

/** Whether a text can be the name of a class or of a field. Either may not be `file`, which is a path of its own. */
export function isClassName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,49}$/.test(name) && !RESERVED.has(name);
}
