import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';
import { type RootField, rootFields } from '../../support/operations/root-fields.ts';
import { FuzzFixture } from './fixture.ts';
import { type FuzzedOperation, operationsOn, payloadOf } from './graphql-operations.ts';
import { sendPayload } from './graphql-transports.ts';
import { faultLog } from './log.ts';
import { fuzz, TEST_TIMEOUT_MS } from './run.ts';

const { log, orFault } = faultLog();

useApp({ log });

const fixture = new FuzzFixture();
beforeAll(() => fixture.begin());

const MAY_BE_UNAVAILABLE = /assist|summar|translat|gateway|model/i;

test.each(rootFields())(
  '$path responds within the contract to any arguments',
  async (root) => {
    await fixture.mend();
    await fuzz(operationsOn(root), (fuzzed) => orFault(() => expectAnswered(root, fuzzed)));
    await fixture.expectUnharmed();
  },
  TEST_TIMEOUT_MS,
);

test(
  'the typed fields of an application respond within the contract to any arguments',
  async () => {
    await fixture.mend();
    const introspection = getIntrospectionQuery({ oneOf: true });
    const typed = buildClientSchema((await execute(introspection, {}, apiKey)) as IntrospectionQuery);
    const known = new Set(rootFields().map(({ path }) => path));
    const own = rootFields(typed).filter(({ path }) => !known.has(path));
    expect(own.length).toBeGreaterThan(8);
    for (const root of own) {
      await fixture.mend();
      await fuzz(operationsOn(root), (fuzzed) => orFault(() => expectAnswered(root, fuzzed)));
    }
    await fixture.expectUnharmed();
  },
  TEST_TIMEOUT_MS,
);

async function expectAnswered(root: RootField, fuzzed: FuzzedOperation): Promise<void> {
  const payload = payloadOf(root, fuzzed, fixture);
  const as = fixture.caller(fuzzed.caller);
  const mayBeUnavailable = MAY_BE_UNAVAILABLE.test(root.path);
  const isLive = root.kind === 'subscription';
  const transport = fuzzed.transport === 'get' && payload.length >= 8000 ? 'post' : fuzzed.transport;
  await sendPayload(transport, payload, as, { mayBeUnavailable, isLive });
}
