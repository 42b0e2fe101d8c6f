import { expect, test } from 'vitest';
import { databaseServers } from '../../src/lib/database-urls.ts';

test.each([
  ['postgresql://me:secret@a:5433/atrium', ['postgresql://me:secret@a:5433/atrium'], false],
  [
    'postgres://me@a,b:5433,[::1]:5434/atrium?sslmode=require',
    [
      'postgres://me@a/atrium?sslmode=require',
      'postgres://me@b:5433/atrium?sslmode=require',
      'postgres://me@[::1]:5434/atrium?sslmode=require',
    ],
    false,
  ],
  [
    'postgresql://a,b/atrium?target_session_attrs=read-write',
    ['postgresql://a/atrium?target_session_attrs=read-write', 'postgresql://b/atrium?target_session_attrs=read-write'],
    true,
  ],
  ['postgresql://a/x?target_session_attrs=primary', ['postgresql://a/x?target_session_attrs=primary'], true],
  ['postgresql://me:p@ss@a/atrium', ['postgresql://me:p@ss@a/atrium'], false],
  ['postgresql:///atrium?host=/run/postgresql', ['postgresql:///atrium?host=/run/postgresql'], false],
])('the URL %s names its servers', (url, urls, needsPrimary) => {
  expect(databaseServers(url)).toEqual({ urls, needsPrimary });
});

test.each([
  'mysql://a/atrium',
  'a,b/atrium',
  'postgresql://a,/atrium',
  'postgresql://a,b:none/atrium',
  'postgresql://a,b/atrium?target_session_attrs=standby',
  'postgresql://a,b/atrium?target_session_attrs=constructor',
])('the URL %s is invalid', (url) => {
  expect(databaseServers(url)).toBeUndefined();
});
