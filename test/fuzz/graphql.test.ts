import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.ts';
import { useApp } from '../support/app.ts';
import { ask } from '../support/chat.ts';
import { askForStream, askOverHttp, askOverSocket } from '../support/fuzz/graphql-doors.ts';
import {
  type FuzzedOperation,
  operationsOn,
  payloadOf,
  type RootField,
  rootFields,
} from '../support/fuzz/graphql-operations.ts';
import { faultLog } from '../support/fuzz/log.ts';
import { fuzz, PATIENCE } from '../support/fuzz/run.ts';
import { Scene } from '../support/fuzz/scene.ts';
import { apiKey } from '../support/users.ts';

const { log, orFault } = faultLog();

useApp({ log });

const scene = new Scene();
beforeAll(() => scene.begin());

/** Fields that ask a model: it is away. */
const MAY_BE_AWAY = /assist|summar|translat|gateway|model/i;

test.each(rootFields(schema))(
  '$path answers whatever it is asked',
  async (root) => {
    await scene.mend();
    await fuzz(operationsOn(root), (fuzzed) => orFault(() => expectAnswered(root, fuzzed)));
    await scene.expectUnharmed();
  },
  PATIENCE,
);

test(
  'so do the typed fields of an application',
  async () => {
    await scene.mend();
    const introspection = getIntrospectionQuery({ oneOf: true });
    const typed = buildClientSchema((await ask(introspection, {}, apiKey)) as IntrospectionQuery);
    const known = new Set(rootFields(schema).map(({ path }) => path));
    const own = rootFields(typed).filter(({ path }) => !known.has(path));
    expect(own.length).toBeGreaterThan(8);
    for (const root of own) {
      await scene.mend();
      await fuzz(operationsOn(root), (fuzzed) => orFault(() => expectAnswered(root, fuzzed)));
    }
    await scene.expectUnharmed();
  },
  PATIENCE,
);

async function expectAnswered(root: RootField, fuzzed: FuzzedOperation): Promise<void> {
  const payload = payloadOf(root, fuzzed, scene);
  const as = scene.caller(fuzzed.caller);
  const mayBeAway = MAY_BE_AWAY.test(root.path);
  const isLive = root.kind === 'subscription';
  if (fuzzed.door === 'socket') await askOverSocket(payload, as, { mayBeAway, isLive });
  else if (fuzzed.door === 'stream' || isLive) await askForStream(payload, as, mayBeAway);
  else if (fuzzed.door === 'get' && payload.length < 8000) {
    await askOverHttp({ method: 'GET', target: `/graphql?${queryOf(payload)}` }, as, mayBeAway);
  } else {
    await askOverHttp({ headers: { 'Content-Type': 'application/json' }, body: payload }, as, mayBeAway);
  }
}

function queryOf(payload: string): string {
  const { query, variables } = JSON.parse(payload) as { query: string; variables?: unknown };
  const parts = { query, ...(variables === undefined ? {} : { variables: JSON.stringify(variables) }) };
  return new URLSearchParams(parts).toString();
}
