/** Requests and responses use these names for something else. */
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
  // The server drops these from all parameters.
  'constructor',
  'prototype',
]);

export function isClassName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,49}$/.test(name) && !RESERVED.has(name);
}
