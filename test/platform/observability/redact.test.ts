import { expect, test } from 'vitest';
import { MAX_SHOWN, redactError, redactText } from '../../../src/platform/observability/redact.ts';

test.each([
  ['GET https://graph.example/me?access_token=abc failed', 'GET https://graph.example/me?… failed'],
  ['connect postgres://bob:hunter2@db:5432/x', 'connect postgres://…@db:5432/x'],
  ['{"password":"hunter 2","login":"bob"}', '{"…":…,"…":"…"}'],
  ['user[password]=hunter2&x=1', 'user[password]=…&x=1'],
  ['Authorization: ApiKey abc', 'Authorization: … abc'],
  ['sent Bearer abc.def', 'sent Bearer …'],
  ['eyJhbGciOi.eyJzdWIi.c2ln is expired', '… is expired'],
  ['0000005c0123456789abcdef0123456789abcdef', '…'],
  ['no mailbox bob@example.org', 'no mailbox …@…'],
  ['invalid input syntax for type integer: "hunter2"', 'invalid input syntax for type integer: "…"'],
  ['column "name" of relation "users" does not exist', 'column "name" of relation "users" does not exist'],
  ['Key (application_id, login)=(92, bob (b)) already exists.', 'Key (application_id, login)=(…) already exists.'],
  ['Failing row contains (92, 7, bob).', 'Failing row contains (…)'],
  ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
])('redact replaces %s → %s', (text, shown) => {
  expect(redactText(text)).toBe(shown);
});

test('a logged error contains its name, location and cause, and nothing that a library attached', () => {
  const error = Object.assign(new Error('no', { cause: { password: 'hunter2' } }), {
    code: 'ECONNRESET',
    detail: 'Key (login)=(hunter2)',
    config: { headers: { Authorization: 'hunter2' } },
    syscall: 'read',
  });
  const shown = redactError(error);
  expect(shown).toMatchObject({ type: 'Error', message: 'no', code: 'ECONNRESET', syscall: 'read' });
  expect(shown.stack).toMatch(/^ {4}at /);
  expect(shown.cause).toEqual({ type: 'object', message: 'a value that is not an Error was thrown' });
  expect(JSON.stringify(shown)).not.toContain('hunter2');
});

test('a logged stack does not repeat a message of any number of lines', () => {
  const error = new Error('first\n    password is hunter2\nlast');
  expect(redactError(error).stack).not.toContain('hunter2');
});

test('cyclic causes are cut off', () => {
  const error = new Error('a');
  error.cause = error;
  expect(JSON.stringify(redactError(error)).match(/"message":"a"/g)).toHaveLength(6);
});

test('a Prisma error is logged with its reason only, without the arguments of the call', () => {
  const error = new Error(`
Invalid \`db.user.create()\` invocation in
/src/x.ts:1:2

{
  data: { login: "hunter2" }
}

Argument \`passwordHash\` is missing.`);
  error.name = 'PrismaClientValidationError';
  const { message } = redactError(error);
  expect(message).toBe('Invalid `db.user.create()` invocation in: Argument `passwordHash` is missing.');
});

test('a long text is cut at a word boundary before redaction, and secrets that the cut exposes are hidden', () => {
  const words = 'word '.repeat(399);
  expect(redactText('a'.repeat(1_000_000))).toBe('…');
  expect(redactText(`${words}${'secret'.repeat(1_000)}`)).toBe(`${words}…`);
  expect(redactText(`${words}"a secret text"`)).toBe(`${words}"…"`);
  expect(redactText(`Key (login)=(${'bob '.repeat(1_000)}) exists`)).toBe('Key (login)=(…)');
  expect(redactText(`${words}x`.repeat(100)).length).toBeLessThanOrEqual(MAX_SHOWN + 1);
});
