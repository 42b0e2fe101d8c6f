import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { type Envelope, envelopes, sealed } from './envelopes.ts';
import { FuzzFixture } from './fixture.ts';
import { expectMasked, faultLog } from './log.ts';
import { fuzz, RUNS, TEST_TIMEOUT_MS } from './run.ts';
import { expectXml } from './xml.ts';

const { log, orFault } = faultLog();

useApp({ log });

const fixture = new FuzzFixture();
beforeAll(() => fixture.begin());

test(
  'a request in an unusual form is answered or rejected',
  async () => {
    let sent = 0;
    const send = async (envelope: Envelope) => {
      // Many requests are valid after all, and change data.
      if (sent++ % 50 === 0) await fixture.mend();
      await orFault(() => expectAnswered(envelope));
    };
    await fuzz(envelopes, send, RUNS * 25);
    await fixture.expectUnharmed();
  },
  TEST_TIMEOUT_MS,
);

const CUT_OFF = new Set(['ECONNRESET', 'EPIPE']);

async function expectAnswered(envelope: Envelope): Promise<void> {
  const { method, target, request } = sealed(envelope, fixture);
  const answer = await rawRequest(method, target, { as: fixture.caller(envelope.caller), ...request }).catch(
    (error) => {
      // Node closes the connection when the head, or data after a rejection, is too long.
      if (CUT_OFF.has(error.code)) return undefined;
      throw error;
    },
  );
  if (!answer) return;
  const { status, text, headers } = answer;
  expect([status < 500 || /^\/(ai|healthz|readyz)/.test(target), status]).toEqual([true, status]);
  const type = headers['content-type'] ?? '';
  if (status >= 400) expectMasked(text);
  if (text === '') return;
  if (type.startsWith('application/xml')) expectXml(text);
  else if (type.startsWith('application/json') && method !== 'HEAD') JSON.parse(text);
}
