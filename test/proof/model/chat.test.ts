import fc from 'fast-check';
import { afterEach, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { CHAT, closeStreams } from '../../support/clients/xmpp.ts';
import { createDialog, quickUsers } from '../../support/fixtures/chat.ts';
import { ChatModel } from './chat-model.ts';
import { anyStep, type Real } from './commands.ts';
import { endChats } from './over-xmpp.ts';
import { expectAnswers, expectViews } from './views.ts';

// Legacy clients send, and mark what they have received; what they cannot do is done over GraphQL.
useApp(CHAT);

afterEach(async () => {
  await closeStreams();
  endChats();
});

/**
 * Approximate number of steps, in runs of up to 100. With more than usual, all users compare their views after each
 * step. A failure prints values that reproduce it: `MODEL_SEED=<seed> MODEL_PATH=<path> MODEL_REPLAY=<replayPath>`.
 */
const USUAL_STEPS = 1000;
const USUAL_SEED = 20_261_122;
const { MODEL_STEPS, MODEL_SEED, MODEL_PATH, MODEL_REPLAY } = process.env;
const STEPS = Number(MODEL_STEPS ?? USUAL_STEPS);
const STEPS_A_RUN = 50;

test('after every step of any sequence, every user sees the chat as the model predicts', async () => {
  const courses = fc.commands([anyStep], { maxCommands: 2 * STEPS_A_RUN, size: 'max', replayPath: MODEL_REPLAY });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('GROUP' as const, 'PUBLIC_GROUP' as const), courses, async (second, steps) => {
      let last: { model: ChatModel; real: Real } | undefined;
      await fc.asyncModelRun(async () => {
        last = await begin(second);
        return last;
      }, steps);
      const { model, real } = last!;
      for (const dialog of model.everyDialog) {
        await expectViews(model, real.users, dialog);
        await expectAnswers(model, real.users, dialog);
      }
    }),
    {
      numRuns: Math.ceil(STEPS / STEPS_A_RUN),
      ...(MODEL_SEED ? { seed: Number(MODEL_SEED) } : MODEL_STEPS ? {} : { seed: USUAL_SEED }),
      ...(MODEL_PATH ? { path: MODEL_PATH } : {}),
    },
  );
}, 3_600_000);

/** Creates four users: three in a group, all in another group or a public one, and two in a private dialog. */
async function begin(second: 'GROUP' | 'PUBLIC_GROUP'): Promise<{ model: ChatModel; real: Real }> {
  const users = await quickUsers(4);
  const ids = users.map(({ id }) => id);
  const [alice, bob, carol, dave] = users as [(typeof users)[0], ...typeof users];
  const model = new ChatModel(ids, running.now().getTime());
  const make = async (owner: typeof alice, kind: 'GROUP' | 'PUBLIC_GROUP' | 'PRIVATE', others: typeof users) => {
    const name = `${kind} of ${owner.id}`;
    const dialogId = await createDialog(owner, others, kind, name);
    model.createDialog(
      owner.id,
      kind,
      others.map(({ id }) => id),
      name,
      dialogId,
    );
  };
  await make(alice, 'GROUP', [bob!, carol!]);
  await make(bob!, second, [alice, carol!, dave!]);
  await make(carol!, 'PRIVATE', [alice]);
  return { model, real: { users, viewers: STEPS > USUAL_STEPS ? users.length : 2 } };
}
