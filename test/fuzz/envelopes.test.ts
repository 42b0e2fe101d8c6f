import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { type Envelope, envelopes, sealed } from '../support/fuzz/envelopes.ts';
import { expectMasked, faultLog } from '../support/fuzz/log.ts';
import { fuzz, PATIENCE, RUNS } from '../support/fuzz/run.ts';
import { Scene } from '../support/fuzz/scene.ts';
import { expectXml } from '../support/fuzz/xml.ts';
import { wire } from '../support/wire.ts';

const { log, orFault } = faultLog();

useApp({ log });

const scene = new Scene();
beforeAll(() => scene.begin());

test(
  'a request that comes in a strange way is answered or refused',
  async () => {
    let sent = 0;
    const send = async (envelope: Envelope) => {
      // Much of it is right after all, and does what it says.
      if (sent++ % 50 === 0) await scene.mend();
      await orFault(() => expectAnswered(envelope));
    };
    await fuzz(envelopes, send, RUNS * 25);
    await scene.expectUnharmed();
  },
  PATIENCE,
);

/** What ends the connection before it has an answer. */
const CUT_OFF = new Set(['ECONNRESET', 'EPIPE']);

async function expectAnswered(envelope: Envelope): Promise<void> {
  const { method, target, request } = sealed(envelope, scene);
  const answer = await wire(method, target, { as: scene.caller(envelope.caller), ...request }).catch((error) => {
    // Node stops reading where a head, or what is sent behind a refusal, is too long.
    if (CUT_OFF.has(error.code)) return undefined;
    throw error;
  });
  if (!answer) return;
  const { status, text, headers } = answer;
  expect([status < 500 || /^\/(ai|healthz|readyz)/.test(target), status]).toEqual([true, status]);
  const type = headers['content-type'] ?? '';
  if (status >= 400) expectMasked(text);
  if (text === '') return;
  if (type.startsWith('application/xml')) expectXml(text);
  else if (type.startsWith('application/json') && method !== 'HEAD') JSON.parse(text);
}
