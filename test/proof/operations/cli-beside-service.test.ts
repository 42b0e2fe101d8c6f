import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { sign } from '../../../src/lib/signature.ts';
import { cli, cliHere, cliJson } from '../../support/app/cli.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/clients/websocket.ts';
import { startApns } from '../../support/fakes/apns.ts';
import { startGoogle } from '../../support/fakes/google.ts';
import { says, startModel } from '../../support/fakes/model.ts';
import { answerJson, startProvider } from '../../support/fakes/provider.ts';
import { appleToken } from '../../support/fixtures/pushes.ts';

const APP = ['--application', '92'];

let folder: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let env: { DATA_DIR: string };
let alice: number;

beforeAll(async () => {
  folder = await createDataDir();
  env = { DATA_DIR: folder.dataDir };
  service = await startService(folder.dataDir, {
    BOOTSTRAP_APPLICATION_ID: '92',
    BOOTSTRAP_AUTH_KEY: 'AUTHKEY',
    BOOTSTRAP_AUTH_SECRET: 'the-secret',
    BOOTSTRAP_API_KEY: 'the-key',
  });
  const { body } = await call('POST', '/users.json', { user: { login: 'alice', password: 'password-1' } });
  alice = body.user.id;
}, 600_000);

afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await folder.remove();
}, 600_000);

async function call(method: string, path: string, body?: object, as: { key?: string; userId?: number } = {}) {
  const response = await fetch(service.url + path, {
    method,
    body: body && JSON.stringify(body),
    headers: {
      Authorization: `ApiKey ${as.key ?? 'the-key'}`,
      'Content-Type': 'application/json',
      ...(as.userId ? { 'On-Behalf-Of': String(as.userId) } : {}),
    },
  });
  return { status: response.status, body: await response.json().catch(() => undefined) };
}

async function graphql(query: string, as: { key?: string; userId?: number } = {}) {
  return (await call('POST', '/graphql', { query }, as)).body;
}

const failed = (line: string) => ({ code: 1, stdout: '', stderr: `atrium: ${line}\n` });

test.each<[line: string, args: string[]]>([
  ['application 7 does not exist', ['app', 'show', '7']],
  ['application 7 does not exist', ['app', 'set', '7', '--gateway', 'off']],
  ["Name can't be blank", ['app', 'create', '--name', ' ']],
  ['Name is too long (maximum is 255 characters)', ['app', 'create', '--name', 'n'.repeat(256)]],
  ['Id should be between 1 and 2147483647', ['app', 'create', '--name', 'N', '--id', '0']],
  ['Session minutes should be a positive integer', ['app', 'set', '92', '--session-minutes', '0']],
  ['Phone region should be an ISO country code', ['app', 'set', '92', '--phone-region', 'Atlantis']],
  ['application 7 does not exist', ['key', 'create', '--application', '7']],
  ['application 7 does not exist', ['key', 'list', '--application', '7']],
  ["Name can't be blank", ['key', 'create', ...APP, '--name', '']],
  ['API key 77 does not exist', ['key', 'revoke', '77']],
  ['application 7 does not exist', ['class', 'list', '--application', '7']],
  ['Name is invalid', ['class', 'create', ...APP, '--name', '1st']],
  ["Field a can't be unique", ['class', 'create', ...APP, '--name', 'C', '--field', 'a:String_a:unique']],
  ['Undefined class', ['class', 'show', 'Nothing', ...APP]],
  ['Undefined class', ['class', 'delete', 'Nothing', ...APP, '--yes']],
  [
    'Base url should be an http or https address',
    ['assistant', 'create', ...APP, '--name', 'N', '--base-url', 'ftp://x', '--model', 'm'],
  ],
  ['assistant 6b014764c31c72a603f51b9a does not exist', ['assistant', 'delete', '6b014764c31c72a603f51b9a', ...APP]],
  ['assistant x does not exist', ['assistant', 'set', 'x', ...APP, '--name', 'N']],
  ['application 7 does not exist', ['push', 'list', '--application', '7']],
  ['Subject should', ['push', 'web', ...APP, '--environment', 'production', '--subject', 'me']],
  [
    '--key-file: ENOENT',
    ['push', 'apns', ...APP, '--environment', 'production', '--topic', 't', '--team-id', 'T', '--key-id', 'K'].concat(
      '--key-file',
      '/nowhere.p8',
    ),
  ],
  [
    '--service-account: the file is not valid JSON',
    ['push', 'fcm', ...APP, '--environment', 'production', '--service-account', import.meta.filename],
  ],
  ['Endpoint', ['social', 'set', ...APP, '--provider', 'firebase_phone', '--project-id', 'p', '--endpoint', 'nowhere']],
])(
  'a failed command exits with 1 and prints the line "%s …": %j',
  async (line, args) => {
    const { code, stdout, stderr } = await cliHere(env, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^atrium: [^\n]+\n$/);
    expect(stderr.slice('atrium: '.length)).toContain(line);
  },
  600_000,
);

describe('app', () => {
  test('app set takes effect with the next request', async () => {
    const settings = () => graphql('{ application { usersList signatureHash sessionMinutes phoneRegion gateway } }');
    const shown = await cliJson(
      env,
      ...['app', 'set', '92', '--users-list', 'off', '--signature-hash', 'sha256', '--session-minutes', '30'],
      ...['--public-sign-in', 'off'],
      ...['--password-reset', 'off', '--answer-assist', 'off', '--summarize', 'off', '--translate', 'off'],
      ...[
        '--gateway',
        'off',
        '--chat-pushes',
        'off',
        '--strict-credential-changes',
        'on',
        '--phone-matching',
        'e164',
        '--phone-region',
        'GB',
      ],
      ...['--ai-daily-tokens', '5', '--name', 'Renamed'],
    );
    expect(shown).toEqual({
      id: 92,
      name: 'Renamed',
      authKey: 'AUTHKEY',
      signatureHash: 'sha256',
      publicSignIn: false,
      appUrl: null,
      usersList: false,
      filesByNumber: 'owner',
      groups: 'granted',
      passwordReset: false,
      strictCredentialChanges: true,
      chatPushes: false,
      sessionMinutes: 30,
      phoneMatching: 'e164',
      phoneRegion: 'GB',
      answerAssist: false,
      summarize: false,
      translate: false,
      gateway: false,
      aiDailyTokens: 5,
      deviceMails: false,
      dialogCreators: [],
      emailSignIn: 'off',
      guestDays: null,
      maxSessionMinutes: null,
      passkeyOrigins: [],
      secondFactorRoles: [],
      secondFactors: false,
      strictPasswords: false,
      verifiedEmailRequired: false,
      verifyEmails: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await settings()).data.application).toEqual({
      usersList: false,
      signatureHash: 'SHA256',
      sessionMinutes: 30,
      phoneRegion: 'GB',
      gateway: false,
    });

    const back = await cli(env, 'app', 'set', '92', '--no-session-minutes', '--no-phone-region', '--users-list', 'on');
    expect(back.stdout).toMatch(/^sessionMinutes +-$/m);
    expect(back.stdout).toMatch(/^phoneRegion +-$/m);
    expect(back.stdout).toMatch(/^usersList +on$/m);
    expect((await settings()).data.application).toMatchObject({ sessionMinutes: null, phoneRegion: null });

    const lists = ['--dialog-creators', 'editor, moderator', '--passkey-origins', 'https://app.example.com'];
    const set = await cliJson(env, 'app', 'set', '92', ...lists, '--guest-days', '7', '--email-sign-in', 'signUp');
    expect(set).toMatchObject({
      dialogCreators: ['editor', 'moderator'],
      passkeyOrigins: ['https://app.example.com'],
      guestDays: 7,
      emailSignIn: 'signUp',
    });
    const empty = await cliJson(env, 'app', 'set', '92', '--dialog-creators', '', '--no-guest-days');
    expect(empty).toMatchObject({ dialogCreators: [], guestDays: null });

    const on = ['--answer-assist', 'on', '--signature-hash', 'sha1', '--ai-daily-tokens', '1000'];
    await cliJson(env, 'app', 'set', '92', ...on);
    expect(await cliJson(env, 'app', 'show', '92')).toMatchObject({ answerAssist: true, gateway: false });
    expect((await cli(env, 'app', 'show', '92')).stdout).not.toContain('the-secret');
  }, 600_000);
});

describe('key', () => {
  test('a key is shown once, works immediately, and is refused immediately after its revocation, which closes its sockets', async () => {
    const made = await cliJson(env, 'key', 'create', ...APP, '--name', 'robot\n\u001b[31m');
    expect(Object.keys(made)).toEqual(['id', 'applicationId', 'name', 'key', 'createdAt']);
    expect((await call('GET', '/users.json', undefined, made)).status).toBe(200);

    const client = createClient({
      url: `${service.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { Authorization: `ApiKey ${made.key}` },
    });
    const closed = new Promise<number>((resolve) => {
      client.on('closed', (event) => resolve((event as { code: number }).code));
    });
    const connected = new Promise((resolve) => client.on('connected', resolve));
    client.subscribe({ query: 'subscription { dialogEvents { cursor } }' }, { next() {}, error() {}, complete() {} });
    await connected;

    const revoked = await cliJson(env, 'key', 'revoke', String(made.id));
    expect(revoked).toMatchObject({ id: made.id, applicationId: 92, revokedAt: expect.any(String) });
    expect((await call('GET', '/users.json', undefined, made)).status).toBe(401);
    expect(await closed).toBe(4403);
    expect(await cli(env, 'key', 'revoke', String(made.id))).toEqual(failed(`API key ${made.id} is already revoked`));

    const listed = [await cli(env, 'key', 'list'), await cli(env, 'key', 'list', ...APP)];
    for (const { stdout } of listed) {
      expect(stdout).toMatch(/^id +applicationId +name +scopes +expiresAt +lastUsedAt +createdAt +revokedAt\n/);
      expect(stdout).toContain('robot\\u000a\\u001b[31m');
      expect(stdout).not.toContain(made.key);
    }
    expect(JSON.stringify(await cliJson(env, 'key', 'list'))).not.toContain(made.key);
  }, 600_000);
});

describe('class', () => {
  test('a class is available immediately after its creation, and removed immediately with its records', async () => {
    expect((await call('GET', '/data/Cars.json')).status).toBe(403);
    const fields = [
      '--field',
      'make:String:required,index',
      '--field',
      'tags:String_a',
      '--field',
      'plate:String:unique',
    ];
    const made = await cliJson(env, 'class', 'create', ...APP, '--name', 'Cars', ...fields);
    const field = { array: false, required: false, unique: false, index: 'none', type: 'String' };
    expect(made).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Cars',
      applicationId: 92,
      fields: [
        { ...field, name: 'make', required: true, index: 'ready' },
        { ...field, name: 'tags', array: true },
        { ...field, name: 'plate', unique: true },
      ],
      permissions: { read: { access: 'open' }, delete: { access: 'owner' } },
    });
    const stored = await call('POST', '/data/Cars.json', { make: 'Fiat', tags: ['a'], plate: 'P' }, { userId: alice });
    expect(stored.status).toBe(201);
    expect((await call('POST', '/data/Cars.json', { plate: 'Q' }, { userId: alice })).status).toBe(422);
    expect((await graphql('{ cars { make tags } }')).data.cars).toEqual([{ make: 'Fiat', tags: ['a'] }]);

    expect(await cliJson(env, 'class', 'show', 'Cars', ...APP)).toEqual(made);
    expect((await cli(env, 'class', 'show', 'Cars', ...APP)).stdout).toMatch(/\nmake +String +off +on +off +ready\n/);
    expect((await cli(env, 'class', 'list', ...APP)).stdout).toMatch(/ Cars +make, tags, plate +/);
    expect(await cli(env, 'class', 'create', ...APP, '--name', 'Cars')).toEqual(failed('Name has already been taken'));

    const indexed = await cliJson(env, 'class', 'index', 'Cars', ...APP, '--index', 'make,plate:unique');
    expect(indexed.indexes).toMatchObject([{ fields: ['make', 'plate'], unique: true }]);
    const list = ['--filter', '{"make":"Fiat"}', '--sort', 'plate:desc', '--first', '10'];
    expect(await cliJson(env, 'class', 'explain', 'Cars', ...APP, ...list)).toMatchObject({ rowsReturned: 1 });

    expect(await cli(env, 'class', 'delete', 'Cars', ...APP, '--yes')).toEqual({
      code: 0,
      stdout: 'deleted  Cars\n',
      stderr: '',
    });
    expect((await call('GET', '/data/Cars.json')).status).toBe(403);
    expect(await cliJson(env, 'class', 'list', ...APP)).toEqual([]);
  }, 600_000);
});

describe('assistant', () => {
  test('the operator may set an internal address for an assistant, and its key is never shown', async () => {
    const model = await startModel((response) => says(response, 'The model says.'));
    const moved = await startModel((response) => says(response, 'The other says.'));
    const ask = (id: string) =>
      call(
        'POST',
        '/ai/ai_extensions/ai_answer_assist',
        { smart_chat_assistant_id: id, message: 'hi' },
        { userId: alice },
      );
    await cliJson(env, 'app', 'set', '92', '--answer-assist', 'on');

    const given = ['--name', 'Helper', '--base-url', model.url, '--model', 'tiny', '--api-key', 'sk-hidden'];
    const made = await cliJson(env, 'assistant', 'create', ...APP, ...given, '--instructions', 'Be brief.');
    expect(Object.keys(made)).toEqual(['id']);
    expect(await ask(made.id)).toMatchObject({ status: 200, body: { answer: 'The model says.' } });
    expect(model.asked[0]!.headers.authorization).toBe('Bearer sk-hidden');

    const renamed = await cliJson(env, 'assistant', 'set', made.id, ...APP, '--name', 'Renamed');
    expect(renamed).toMatchObject({ name: 'Renamed', baseUrl: model.url, hasApiKey: true, instructions: 'Be brief.' });
    const elsewhere = await cliJson(env, 'assistant', 'set', made.id, ...APP, '--base-url', moved.url);
    expect(elsewhere).toMatchObject({ baseUrl: moved.url, hasApiKey: false });
    expect(await ask(made.id)).toMatchObject({ status: 200, body: { answer: 'The other says.' } });
    expect(moved.asked[0]!.headers.authorization).toBeUndefined();

    const keyed = await cliJson(env, 'assistant', 'set', made.id, ...APP, '--api-key', 'sk-hidden-2');
    expect(keyed.hasApiKey).toBe(true);
    const listed = await cli(env, 'assistant', 'list', ...APP);
    expect(listed.stdout).toMatch(/^id +name +baseUrl +model +hasApiKey\n[0-9a-f]{24} +Renamed .+ +tiny +on\n$/);
    expect(JSON.stringify(await cliJson(env, 'assistant', 'list', ...APP))).not.toContain('sk-hidden');
    expect((await cliJson(env, 'assistant', 'set', made.id, ...APP, '--no-api-key')).hasApiKey).toBe(false);

    expect(await cliJson(env, 'assistant', 'delete', made.id, ...APP)).toEqual({ deleted: made.id });
    expect((await ask(made.id)).status).toBe(404);
  }, 600_000);
});

describe('push', () => {
  const production = [...APP, '--environment', 'production'];

  async function subscribe(channel: string, platform: string, token: string): Promise<void> {
    const body = {
      notification_channel: channel,
      push_token: { environment: 'production', client_identification_sequence: token },
      device: { platform, udid: channel },
    };
    expect((await call('POST', '/subscriptions.json', body, { userId: alice })).status).toBe(201);
    const event = { environment: 'production', push_type: channel, message: 'aGk=', user: { ids: [alice] } };
    expect((await call('POST', '/events.json', { event })).status).toBe(201);
  }

  test('APNs is called with the endpoint and the certificate that were set', async () => {
    const apple = await startApns();
    onTestFinished(() => apple.down());
    const { topic, teamId, keyId, key, endpoint, ca } = apple.settings;
    const [keyFile, caFile] = [join(env.DATA_DIR, 'key.p8'), join(env.DATA_DIR, 'ca.pem')];
    await writeFile(keyFile, key);
    await writeFile(caFile, ca);
    const ids = ['--topic', topic, '--team-id', teamId, '--key-id', keyId, '--key-file', keyFile];
    const set = await cliJson(env, 'push', 'apns', ...production, ...ids, '--endpoint', endpoint, '--ca-file', caFile);
    expect(set).toMatchObject({ environment: 'production', provider: 'apns', publicId: topic });
    await cliJson(env, 'push', 'apns', ...production, ...ids);
    await subscribe('apns', 'ios', appleToken(1));
    await until(() => apple.pushes.length === 1);
  }, 600_000);

  test('FCM is called with the service account that was set', async () => {
    const google = await startGoogle(() => new Date());
    onTestFinished(async () => void (await google.stop()));
    const file = join(env.DATA_DIR, 'account.json');
    await writeFile(file, JSON.stringify(google.serviceAccount));
    const set = await cliJson(env, 'push', 'fcm', ...production, '--service-account', file, '--endpoint', google.url);
    expect(set).toMatchObject({ provider: 'fcm', publicId: 'project-1' });
    await subscribe('gcm', 'android', 'fcm-token');
    await until(() => google.pushes.length === 1);
  }, 600_000);

  test('push web keeps the key when it is set again, and push list shows no secrets', async () => {
    const subject = (address: string) => cliJson(env, 'push', 'web', ...production, '--subject', address);
    const { publicId } = await subject('mailto:a@example.org');
    expect((await subject('mailto:b@example.org')).publicId).toBe(publicId);
    const { data } = await graphql('{ webPushKey(environment: "production") }', { userId: alice });
    expect(data.webPushKey).toBe(publicId);
    const { stdout } = await cli(env, 'push', 'list', ...APP);
    expect(stdout).toMatch(/^environment +provider +publicId +createdAt +updatedAt\nproduction +apns .+\n/);
    expect(stdout + JSON.stringify(await cliJson(env, 'push', 'list', ...APP))).not.toContain('PRIVATE KEY');
  }, 600_000);
});

describe('social', () => {
  test('users sign in with the provider that was set', async () => {
    const provider = await startProvider((_request, response, { pathname }) => {
      if (pathname !== '/debug_token') answerJson(response, { id: '7', name: 'Ann' });
      else answerJson(response, { data: { app_id: '12', is_valid: true, expires_at: 0, user_id: '7' } });
    });
    const facebook = ['--provider', 'facebook', '--app-id', '12', '--app-secret', 'hidden'];
    const set = await cliJson(env, 'social', 'set', ...APP, ...facebook, '--endpoint', provider.url);
    expect(set).toMatchObject({ provider: 'facebook', publicId: '12', endpoint: provider.url });
    const { token } = await applicationSession();
    const signIn = await fetch(`${service.url}/login.json`, {
      method: 'POST',
      headers: { 'SVC-Token': token, 'Content-Type': 'application/json' },
      body: JSON.stringify({ provider: 'facebook', keys: { token: 'FT' } }),
    });
    expect(signIn.status).toBe(200);
    expect((await signIn.json()).user).toMatchObject({ facebook_id: '7', full_name: 'Ann' });

    const twitter = ['--provider', 'twitter', '--consumer-key', 'ck', '--consumer-secret', 'hidden'];
    await cliJson(env, 'social', 'set', ...APP, ...twitter);
    await cliJson(env, 'social', 'set', ...APP, '--provider', 'firebase_phone', '--project-id', 'p-1');
    expect((await cliJson(env, 'social', 'set', ...APP, ...facebook, '--no-endpoint')).endpoint).toBeNull();
    const { stdout } = await cli(env, 'social', 'list', ...APP);
    expect(stdout).toMatch(
      /^provider +publicId +endpoint .+\nfacebook +12 +- .+\ntwitter +ck .+\nfirebase_phone +p-1 /,
    );
    expect(stdout + JSON.stringify(await cliJson(env, 'social', 'list', ...APP))).not.toContain('hidden');
  }, 600_000);

  async function applicationSession(): Promise<{ token: string }> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signed = { application_id: '92', auth_key: 'AUTHKEY', nonce: '1', timestamp };
    await cliJson(env, 'app', 'set', '92', '--signature-hash', 'sha1');
    const response = await fetch(`${service.url}/session.json`, {
      method: 'POST',
      body: new URLSearchParams({ ...signed, signature: sign(Object.entries(signed), 'the-secret', 'sha1') }),
    });
    return (await response.json()).session;
  }
});
