import { beforeAll, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { DOCUMENT_TRANSPORTS, documentPayload, documents, type FuzzedDocument } from './documents.ts';
import { FuzzFixture } from './fixture.ts';
import { openStream, sendOverHttp, sendOverSocket } from './graphql-transports.ts';
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
  // A server may read it as a subscription, whose response does not end.
  const isLive = payload.includes('subscription');
  await orFault(async () => {
    if (fuzzed.transport === 'socket') await sendOverSocket(payload, as, { isLive });
    else if (fuzzed.transport === 'stream' || isLive) await openStream(payload, as);
    else if (fuzzed.transport === 'get') await sendOverHttp({ method: 'GET', target: targetOf(payload) }, as);
    else await sendOverHttp({ headers: { 'Content-Type': 'application/json' }, body: payload }, as);
  });
}

/** Truncated to the maximum length of a request head. */
function targetOf(payload: string): string {
  const parts = JSON.parse(payload || 'null') as unknown;
  const pairs = Object.entries(parts ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `/graphql?${new URLSearchParams(pairs)}`.slice(0, 12_000);
}
