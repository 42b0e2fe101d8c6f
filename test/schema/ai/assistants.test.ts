import { describe, expect, test } from 'vitest';
import { createModelClient } from '../../../src/gateways/model.ts';
import { Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import { storeAssistant } from '../../../src/resolvers/ai/assistants.ts';
import { APPLICATION, ENCRYPTER, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { createAssistant as createTrusted, says, startModel } from '../../support/fakes/model.ts';
import { errorOf, execute, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const FIELDS = 'id name baseUrl model hasApiKey instructions';
const CREATE = `mutation ($input: CreateAssistantInput!) { createAssistant(input: $input) { ${FIELDS} } }`;
const UPDATE = `mutation ($id: ID!, $input: UpdateAssistantInput!) { updateAssistant(id: $id, input: $input) { ${FIELDS} } }`;
const DELETE = 'mutation ($id: ID!) { deleteAssistant(id: $id) }';
const FIND = `query ($id: ID!) { assistant(id: $id) { ${FIELDS} } }`;
const LIST = '{ assistants { id name } }';
const ANSWER = 'mutation ($input: AnswerInput!) { assistAnswer(input: $input) }';

const INPUT = { name: ' Helper ', baseUrl: 'https://models.example.com/v1', model: 'gpt-x' };

const create = async (more: object = {}) =>
  (await execute(CREATE, { input: { ...INPUT, ...more } }, apiKey)).createAssistant;
const update = async (id: string, input: object) => (await execute(UPDATE, { id, input }, apiKey)).updateAssistant;

async function rowOf(id: string) {
  const [row] = await sql<{ sealed_api_key: string | null; is_trusted: boolean }>(
    'SELECT sealed_api_key, is_trusted FROM assistants WHERE id = $1',
    [id],
  );
  return row!;
}

describe('assistants', () => {
  test('assistants are created, listed, updated and deleted by an API key', async () => {
    const made = await create({ instructions: 'Be kind.' });
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      ...INPUT,
      name: 'Helper',
      hasApiKey: false,
      instructions: 'Be kind.',
    });
    const { id } = made;
    expect((await execute(FIND, { id }, apiKey)).assistant).toEqual(made);
    const second = await create({ name: 'Second' });
    expect((await execute(LIST, {}, apiKey)).assistants).toEqual([
      { id, name: 'Helper' },
      { id: second.id, name: 'Second' },
    ]);
    expect(await update(id, { name: 'New', model: 'm2', instructions: '' })).toEqual({
      ...made,
      name: 'New',
      model: 'm2',
      instructions: '',
    });
    expect(await update(id, { name: null, model: null, baseUrl: null, instructions: null })).toMatchObject({
      name: 'New',
    });
    expect((await execute(DELETE, { id }, apiKey)).deleteAssistant).toBe(true);
    for (const document of [FIND, DELETE]) {
      expect(await errorOf(document, { id }, apiKey)).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await errorOf(UPDATE, { id, input: {} }, apiKey)).toMatchObject({ code: 'NOT_FOUND' });
    await execute(DELETE, { id: second.id }, apiKey);
  });

  test('assistants are not available to users and other applications', async () => {
    const { id } = await create();
    const other = await createTenant(1);
    const [user] = await quickUsers(1);
    expect((await execute(LIST, {}, other.key)).assistants).toEqual([]);
    for (const [document, variables] of [
      [FIND, { id }],
      [DELETE, { id }],
      [UPDATE, { id, input: { name: 'x' } }],
    ] as const) {
      expect(await errorOf(document, variables, other.key)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await errorOf(document, variables, user!)).toMatchObject({ code: 'FORBIDDEN' });
    }
    await execute(DELETE, { id }, apiKey);
  });

  test.each<[field: string, value: string, text: string]>([
    ['name', ' ', "can't be blank"],
    ['name', 'n'.repeat(256), 'is too long (maximum is 255 characters)'],
    ['baseUrl', 'models.example.com', 'should be an http or https address'],
    ['baseUrl', 'ftp://models.example.com', 'should be an http or https address'],
    ['baseUrl', 'https://me:secret@models.example.com', 'should not contain a user or password'],
    ['baseUrl', 'http://127.0.0.1:11434', 'should be a public address'],
    ['baseUrl', 'http://[::1]/v1', 'should be a public address'],
    ['baseUrl', 'http://169.254.169.254/latest', 'should be a public address'],
    ['baseUrl', 'http://2130706433', 'should be a public address'],
    ['model', 'a b', 'should be printable characters without spaces'],
    ['apiKey', 'sk\r\nX-Evil: 1', 'should be printable characters without spaces'],
    ['instructions', 'i'.repeat(20_001), 'is too long (maximum is 20000 characters)'],
  ])('the assistant field %s cannot be %j', async (field, value, text) => {
    const { id } = await create();
    for (const [document, variables] of [
      [CREATE, { input: { ...INPUT, [field]: value } }],
      [UPDATE, { id, input: { [field]: value } }],
    ] as const) {
      expect(await errorOf(document, variables, apiKey)).toMatchObject({
        code: 'UNPROCESSABLE',
        fields: { [field]: expect.arrayContaining([text]) },
      });
    }
    await execute(DELETE, { id }, apiKey);
  });
});

describe('API keys of models', () => {
  test('API keys of models are stored encrypted and never returned', async () => {
    const made = await create({ apiKey: 'sk-very-secret' });
    expect([made.hasApiKey, JSON.stringify(made).includes('secret')]).toEqual([true, false]);
    const { sealed_api_key } = await rowOf(made.id);
    expect(sealed_api_key).toMatch(/^v1\./);
    expect(ENCRYPTER.decrypt(sealed_api_key!, `assistants ${APPLICATION.id} ${made.id}`)).toBe('sk-very-secret');
    const dump = await sql('SELECT a::text AS row FROM assistants a');
    expect(JSON.stringify(dump)).not.toContain('very-secret');
    expect((await update(made.id, { name: 'x' })).hasApiKey).toBe(true);
    expect((await update(made.id, { apiKey: null })).hasApiKey).toBe(false);
    expect((await update(made.id, { apiKey: 'sk-2' })).hasApiKey).toBe(true);
  });

  test('changing the URL of an assistant removes its API key', async () => {
    const { id } = await create({ apiKey: 'sk-secret' });
    expect((await update(id, { baseUrl: INPUT.baseUrl })).hasApiKey).toBe(true);
    expect((await update(id, { baseUrl: 'https://evil.example.com' })).hasApiKey).toBe(false);
    expect((await update(id, { baseUrl: INPUT.baseUrl, apiKey: 'sk-new' })).hasApiKey).toBe(true);
  });
});

describe('row 27: URLs that the operator trusts', () => {
  test('a trusted URL may be private until an API caller changes it', async () => {
    const model = await startModel((response) => says(response, 'Hello'));
    const id = await createTrusted(model, { apiKey: 'sk-operator' });
    const input = { assistantId: id, message: 'hi' };
    expect((await execute(ANSWER, { input }, apiKey)).assistAnswer).toBe('Hello');
    await update(id, { name: 'renamed' });
    expect((await execute(ANSWER, { input }, apiKey)).assistAnswer).toBe('Hello');
    const { port } = new URL(model.url);
    // A host name counts as public until it is resolved.
    expect(await update(id, { baseUrl: `http://localhost:${port}/v1` })).toMatchObject({ hasApiKey: false });
    expect((await rowOf(id)).is_trusted).toBe(false);
    expect(await errorOf(ANSWER, { input }, apiKey)).toMatchObject({ message: 'Service unavailable' });
    expect(model.asked).toHaveLength(2);
  });

  test('an assistant created by the operator follows the same rules', async () => {
    const wrong = { name: '', baseUrl: 'x', model: '', applicationId: APPLICATION.id, isTrusted: true };
    await expect(storeAssistant(wrong, running.app.services)).rejects.toMatchObject({
      fields: { name: expect.anything(), baseUrl: expect.anything(), model: expect.anything() },
    });
  });
});

test('an API key that cannot be decrypted is an internal error without details', async () => {
  const model = await startModel((response) => says(response, 'Hello'));
  const services = {
    ...running.app.services,
    encrypter: new Encrypter(Buffer.alloc(32, 9)),
    models: createModelClient(),
  };
  const { id } = await storeAssistant(
    { ...INPUT, baseUrl: model.url, apiKey: 'sk', applicationId: APPLICATION.id, isTrusted: true },
    services,
  );
  expect(await errorOf(ANSWER, { input: { assistantId: id, message: 'hi' } }, apiKey)).toEqual({
    message: 'Internal server error',
    code: 'INTERNAL_SERVER_ERROR',
  });
  expect(model.asked).toEqual([]);
});
