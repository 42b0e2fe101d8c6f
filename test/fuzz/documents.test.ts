import { beforeAll, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { DOCUMENT_DOORS, documentPayload, documents, type FuzzedDocument } from '../support/fuzz/documents.ts';
import { askForStream, askOverHttp, askOverSocket } from '../support/fuzz/graphql-doors.ts';
import { faultLog } from '../support/fuzz/log.ts';
import { fuzz, PATIENCE, RUNS } from '../support/fuzz/run.ts';
import { Scene } from '../support/fuzz/scene.ts';

const { log, orFault } = faultLog();

useApp({ log });

const scene = new Scene();
beforeAll(() => scene.begin());

test.each(DOCUMENT_DOORS)(
  'a document that is broken is answered over %s as the contract says',
  async (door) => {
    await scene.mend();
    const ofDoor = documents.map((fuzzed): FuzzedDocument => ({ ...fuzzed, door }));
    await fuzz(ofDoor, (fuzzed) => expectAnswered(fuzzed), RUNS * 10);
    await scene.expectUnharmed();
  },
  PATIENCE,
);

async function expectAnswered(fuzzed: FuzzedDocument): Promise<void> {
  const payload = scene.real(documentPayload(fuzzed));
  const as = scene.caller(fuzzed.caller);
  // What it may turn out to be for those who read it: such an answer has no end of its own.
  const isLive = payload.includes('subscription');
  await orFault(async () => {
    if (fuzzed.door === 'socket') await askOverSocket(payload, as, { isLive });
    else if (fuzzed.door === 'stream' || isLive) await askForStream(payload, as);
    else if (fuzzed.door === 'get') await askOverHttp({ method: 'GET', target: targetOf(payload) }, as);
    else await askOverHttp({ headers: { 'Content-Type': 'application/json' }, body: payload }, as);
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
