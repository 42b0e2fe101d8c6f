import { readdir } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { expect, test, vi } from 'vitest';
import { styled } from '../../../src/operator/cli/answer.ts';
import { cliHere } from '../../support/app/cli.ts';
import { freshDataDir } from '../../support/app/service.ts';

const APP = ['--application', '1'];
const APNS = ['--topic', 't', '--team-id', 'T', '--key-id', 'K', '--key-file', '/nowhere.p8'];

test.each([
  ['no command', [], /^Usage: atrium /],
  ['no command of a group', ['app'], /^Usage: atrium app /],
  ['an unknown group', ['users'], /^atrium: unknown command 'users'.*\n$/],
  ['an unknown command', ['app', 'erase'], /^atrium: unknown command 'erase'.*\n$/],
  ['no name', ['app', 'create'], /^atrium: required option '--name <name>' not specified\n$/],
  ['no value', ['app', 'create', '--name'], /^atrium: option '--name <name>' argument missing\n$/],
  ['an unknown option', ['app', 'list', '--nam', 'x'], /^atrium: unknown option '--nam'.*\n$/],
  ['too many arguments', ['app', 'show', '1', '2'], /^atrium: too many arguments.*\n$/],
  ['a non-numeric id', ['app', 'show', 'x'], /^atrium: .*'x' is invalid.* Expected an integer from 0 to .*\n$/],
  ['an id that is too large', ['app', 'show', '2147483648'], /^atrium: .* Expected an integer from 0 to .*\n$/],
  ['a missing setting', ['app', 'set', '1'], /^atrium: specify at least one setting\n$/],
  [
    'an invalid switch',
    ['app', 'set', '1', '--users-list', 'yes'],
    /^atrium: .*'yes' is invalid. Expected on or off.\n$/,
  ],
  [
    'an invalid choice',
    ['app', 'set', '1', '--signature-hash', 'md5'],
    /^atrium: .* Allowed choices are sha1, sha256.\n$/,
  ],
  ['a fraction', ['app', 'set', '1', '--session-minutes', '1.5'], /^atrium: .* Expected an integer from 0 to .*\n$/],
  ['no application', ['key', 'create'], /^atrium: required option '--application <id>' not specified\n$/],
  ['no key', ['key', 'revoke'], /^atrium: missing required argument 'id'\n$/],
  [
    'no type',
    ['class', 'create', ...APP, '--name', 'C', '--field', 'make'],
    /^atrium: .* Expected a name and a type.*\n$/,
  ],
  [
    'an unknown type',
    ['class', 'create', ...APP, '--name', 'C', '--field', 'a:Text'],
    /^atrium: .* a name and a type.*\n$/,
  ],
  [
    'an array of files',
    ['class', 'create', ...APP, '--name', 'C', '--field', 'a:File_a'],
    /^atrium: .* a name and a type.*\n$/,
  ],
  [
    'an unknown field option',
    ['class', 'create', ...APP, '--name', 'C', '--field', 'a:String:big'],
    /^atrium: .* required, unique, index.\n$/,
  ],
  [
    'an unknown index option',
    ['class', 'index', 'C', ...APP, '--index', 'a,b:sorted'],
    /^atrium: .* Allowed after the fields: unique.\n$/,
  ],
  ['no change of a class', ['class', 'set', 'C', ...APP], /^atrium: specify at least one change\n$/],
  ['an unknown access', ['class', 'set', 'C', ...APP, '--read', 'all'], /^atrium: .* Expected open, owner, .*\n$/],
  ['a group without a name', ['class', 'set', 'C', ...APP, '--read', 'groups:'], /^atrium: .* Expected open, .*\n$/],
  ['no JSON', ['class', 'explain', 'C', ...APP, '--filter', 'make'], /^atrium: .* Expected JSON, .*\n$/],
  ['an unknown direction', ['class', 'explain', 'C', ...APP, '--sort', 'a:up'], /^atrium: .* Expected a field, .*\n$/],
  [
    'no address',
    ['assistant', 'create', ...APP, '--name', 'N'],
    /^atrium: required option '--base-url <url>' not .*\n$/,
  ],
  ['no change', ['assistant', 'set', 'x', ...APP], /^atrium: specify at least one change\n$/],
  [
    'an unknown environment',
    ['push', 'apns', ...APP, '--environment', 'test', ...APNS],
    /^atrium: .* Allowed choices are .*\n$/,
  ],
  [
    'a provider',
    ['social', 'set', ...APP, '--provider', 'x'],
    /^atrium: .* Allowed choices are facebook, twitter, .*\n$/,
  ],
  [
    'an incomplete provider',
    ['social', 'set', ...APP, '--provider', 'facebook', '--app-id', '1'],
    /^atrium: facebook requires --app-secret\n$/,
  ],
  [
    "another provider's setting",
    ['social', 'set', ...APP, '--provider', 'firebase_phone', '--project-id', 'p', '--app-id', '1'],
    /^atrium: --app-id does not apply to firebase_phone\n$/,
  ],
])(
  'a usage error exits with 2, prints one line and opens no database: %s',
  async (_name, args, line) => {
    const env = await freshDataDir();
    const { code, stdout, stderr } = await cliHere(env, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(line);
    expect(await readdir(env.DATA_DIR)).toEqual([]);
  },
  600_000,
);

test.each([
  ['', ['app', 'key', 'class', 'assistant', 'push', 'social']],
  ['app', ['create', 'list', 'show', 'set']],
  ['key', ['create', 'list', 'update', 'rotate', 'revoke']],
  ['user', ['create', 'list', 'show', 'set-password', 'delete', 'block', 'unblock', 'end-sessions', 'prove']],
  ['class', ['create', 'set', 'list', 'show', 'index', 'explain', 'delete']],
  ['assistant', ['create', 'list', 'set', 'delete']],
  ['push', ['apns', 'fcm', 'web', 'list', 'test']],
  ['mail', ['test']],
  ['social', ['set', 'list']],
  [
    'app set',
    [
      '--users-list <on|off>',
      '--no-session-minutes',
      '--dialog-creators <roles>',
      '--ai-daily-tokens <count>',
      '--json',
    ],
  ],
  ['class create', ['--field <name:Type[:options]>', 'Integer, Float, String', '(required)', '--json']],
])(
  '"%s --help" lists the commands and options',
  async (group, names) => {
    const env = await freshDataDir();
    const { code, stdout, stderr } = await cliHere(env, ...group.split(' ').filter(Boolean), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: atrium ${group}`));
    for (const name of names) expect(stdout).toContain(name);
    expect(await readdir(env.DATA_DIR)).toEqual([]);
  },
  600_000,
);

test.each([[['app', 'list']], [['check']], [['export', 'x.tar']], [['status']]])(
  '%s does not create a database in an empty folder',
  async (args) => {
    const env = await freshDataDir();
    expect(await cliHere(env, ...args)).toEqual({
      code: 1,
      stdout: '',
      stderr: `atrium: DATA_DIR: there is no database in ${env.DATA_DIR}; \`app create\` and \`import\` create one\n`,
    });
    expect(await readdir(env.DATA_DIR)).toEqual([]);
  },
);

test('output contains no colors unless it goes to a terminal', () => {
  const { getColorDepth } = WriteStream.prototype;
  const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth }) as unknown as NodeJS.WriteStream;
  vi.stubEnv('TERM', 'xterm-256color');
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.stubEnv('CI', undefined); // Node treats the terminal of most CI services as one without colors
  vi.stubEnv('TMUX', undefined);
  expect(styled(terminal, 'bold', 'x')).toBe('\u001b[1mx\u001b[22m');
  expect(styled(new PassThrough() as unknown as NodeJS.WriteStream, 'bold', 'x')).toBe('x');
  vi.stubEnv('NO_COLOR', '1');
  expect(styled(terminal, 'bold', 'x')).toBe('x');
  vi.unstubAllEnvs();
});

test.each([
  ['PORT', { PORT: 'http' }],
  ['DATABASE_URL', { DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/x' }],
  ['DATA_DIR', { DATA_DIR: '/dev/null/data' }],
  ['ENCRYPTION_KEY', { ENCRYPTION_KEY: 'short' }],
])(
  'an invalid %s ends a command with one line that names it',
  async (name, wrong: Record<string, string>) => {
    const { code, stdout, stderr } = await cliHere({ ...(await freshDataDir()), ...wrong }, 'app', 'list');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^atrium: ${name}: .+\\n$`));
  },
  600_000,
);
