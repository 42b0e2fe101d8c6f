import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import type { Route } from '../../support/operations/routes.ts';
import { routes } from '../../support/operations/routes.ts';
import { FuzzFixture } from './fixture.ts';
import { expectMasked, faultLog } from './log.ts';
import { type FuzzedRequest, requestsTo, written } from './rest-requests.ts';
import { fuzz, TEST_TIMEOUT_MS } from './run.ts';
import { expectXml } from './xml.ts';

const { log, orFault } = faultLog();

useApp({ log });

const fixture = new FuzzFixture();
beforeAll(() => fixture.begin());

const MAY_BE_UNAVAILABLE = /^\/ai\//;

const rows = routes.map((route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route }));

test.each(rows)(
  '$name responds to any input as documented',
  async ({ route }) => {
    await fixture.mend();
    await fuzz(requestsTo(route), (fuzzed) => orFault(() => expectAnswered(route, fuzzed)));
    await fixture.expectUnharmed();
  },
  TEST_TIMEOUT_MS,
);

/** `rawRequest` compares status and body with the OpenAPI document. */
async function expectAnswered(route: Route, fuzzed: FuzzedRequest): Promise<void> {
  const { target, request } = written(route, fuzzed, fixture);
  const as = fixture.caller(fuzzed.caller);
  const { status, text, headers } = await rawRequest(route.method.toUpperCase(), target, { as, ...request });
  if (status !== 503 || !MAY_BE_UNAVAILABLE.test(route.path)) expect(status).toBeLessThan(500);
  if (text === '' || (status < 400 && route.download)) return;
  const isXml = headers['content-type']?.startsWith('application/xml');
  if (isXml) expectXml(text);
  if (status < 400) return;
  expectMasked(text);
  if (!isXml) JSON.parse(text);
}
