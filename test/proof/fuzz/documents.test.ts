import { beforeAll, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { DOCUMENT_TRANSPORTS, documentPayload, documents, type FuzzedDocument } from './documents.ts';
import { FuzzFixture } from './fixture.ts';
import { sendPayload } from './graphql-transports.ts';
import { faultLog } from './log.ts';
import { fuzz, RUNS, TEST_TIMEOUT_MS } from './run.ts';

const { log, orFault } = faultLog();

useApp({ log });

const fixture = new FuzzFixture();
beforeAll(() => fixture.begin());

test.each(DOCUMENT_TRANSPORTS)(
  'a malformed document over %s gets a response within the contract',
  async (transport) => {
    await fixture.mend();
    const ofTransport = documents.map((fuzzed): FuzzedDocument => ({ ...fuzzed, transport }));
    await fuzz(ofTransport, (fuzzed) => expectAnswered(fuzzed), RUNS * 10);
    await fixture.expectUnharmed();
  },
  TEST_TIMEOUT_MS,
);

async function expectAnswered(fuzzed: FuzzedDocument): Promise<void> {
  const payload = fixture.real(documentPayload(fuzzed));
  const as = fixture.caller(fuzzed.caller);
  const isLive = payload.includes('subscription');
  await orFault(() => sendPayload(fuzzed.transport, payload, as, { isLive }));
}
