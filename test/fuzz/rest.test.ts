import { beforeAll, expect, test } from 'vitest';
import type { Route } from '../../src/rest/http/route.ts';
import { routes } from '../../src/rest/index.ts';
import { useApp } from '../support/app.ts';
import { expectMasked, faultLog } from '../support/fuzz/log.ts';
import { type FuzzedRequest, requestsTo, written } from '../support/fuzz/rest-requests.ts';
import { fuzz, PATIENCE } from '../support/fuzz/run.ts';
import { Scene } from '../support/fuzz/scene.ts';
import { expectXml } from '../support/fuzz/xml.ts';
import { wire } from '../support/wire.ts';

const { log, orFault } = faultLog();

useApp({ log });

const scene = new Scene();
beforeAll(() => scene.begin());

/** Endpoints that ask a model: it is away. */
const MAY_BE_AWAY = /^\/ai\//;

const rows = routes.map((route) => ({ name: `${route.method.toUpperCase()} ${route.path}`, route }));

test.each(rows)(
  '$name answers whatever it is sent as documented',
  async ({ route }) => {
    await scene.mend();
    await fuzz(requestsTo(route), (fuzzed) => orFault(() => expectAnswered(route, fuzzed)));
    await scene.expectUnharmed();
  },
  PATIENCE,
);

/** `wire` itself holds status and body against the document of the endpoint. */
async function expectAnswered(route: Route, fuzzed: FuzzedRequest): Promise<void> {
  const { target, request } = written(route, fuzzed, scene);
  const as = scene.caller(fuzzed.caller);
  const { status, text, headers } = await wire(route.method.toUpperCase(), target, { as, ...request });
  if (status !== 503 || !MAY_BE_AWAY.test(route.path)) expect(status).toBeLessThan(500);
  if (text === '' || (status < 400 && route.download)) return;
  const isXml = headers['content-type']?.startsWith('application/xml');
  if (isXml) expectXml(text);
  if (status < 400) return;
  expectMasked(text);
  if (!isXml) JSON.parse(text);
}
