import express from 'express';
import supertest from 'supertest';
import { describe, expect, test } from 'vitest';
import { restAdapter } from '../../../src/rest/index.ts';
import { running, useApp } from '../../support/app/app.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

useApp();

function foreignApp() {
  const app = express();
  app.get('/hello', (_request, response) => void response.send('hello'));
  app.use('/legacy', restAdapter(running.app.services, ['SVC-Token']));
  app.use('/legacy', (_request, response) => void response.status(404).send('nothing of either'));
  return app;
}

describe('the REST adapter as Express middleware', () => {
  test('the adapter serves its endpoints below the prefix and passes other paths to the application', async () => {
    const user = await createUser();
    const app = supertest(foreignApp());
    const found = await app.get(`/legacy/users/${user.id}.json`).set(apiKey.headers!);
    expect([found.status, found.body.user.login]).toEqual([200, user.login]);
    expect((await app.get('/hello')).text).toBe('hello');
    const missing = await app.get('/legacy/nothing.json');
    expect([missing.status, missing.text]).toEqual([404, 'nothing of either']);
  });

  test('the adapter reads bodies and rejects callers like the service', async () => {
    const app = supertest(foreignApp());
    const created = await app
      .post('/legacy/users.json')
      .set(apiKey.headers!)
      .send({ user: { login: 'mounted', password: 'password-1' } });
    expect([created.status, created.body.user.login]).toEqual([201, 'mounted']);
    const refused = await app.get('/legacy/users.json');
    expect([refused.status, refused.body]).toEqual([401, { errors: ['Token is required'] }]);
  });
});
