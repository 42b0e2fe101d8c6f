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
  'a document that is broken is answered over %s as the contract says',
  async (door) => {
    await fixture.mend();
    const ofDoor = documents.map((fuzzed): FuzzedDocument => ({ ...fuzzed, door }));
    await fuzz(ofDoor, (fuzzed) => expectAnswered(fuzzed), RUNS * 10);
    await fixture.expectUnharmed();
  },
  TEST_TIMEOUT_MS,
);

async function expectAnswered(fuzzed: FuzzedDocument): Promise<void> {
  const payload = fixture.real(documentPayload(fuzzed));
  const as = fixture.caller(fuzzed.caller);
  // What it may turn out to be for those who read it: such an answer has no end of its own.
  const isLive = payload.includes('subscription');
  await orFault(async () => {
    if (fuzzed.door === 'socket') await sendOverSocket(payload, as, { isLive });
    else if (fuzzed.door === 'stream' || isLive) await openStream(payload, as);
    else if (fuzzed.door === 'get') await sendOverHttp({ method: 'GET', target: targetOf(payload) }, as);
    else await sendOverHttp({ headers: { 'Content-Type': 'application/json' }, body: payload }, as);
  });
}

/** As far as a head may be long. */
function targetOf(payload: string): string {
  const parts = JSON.parse(payload || 'null') as unknown;
  const pairs = Object.entries(parts ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `/graphql?${new URLSearchParams(pairs)}`.slice(0, 12_000);
}
