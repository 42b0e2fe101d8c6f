import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { ActingContext } from '../../context.ts';
import { createEvents } from '../../resolvers/push-events/create.ts';
import { listPushDeliveries, listPushSends } from '../../resolvers/push-events/deliveries.ts';
import { PUSH_CHANNELS, PUSH_ENVIRONMENTS, type PushEnvironment } from '../../resolvers/pushes/channels.ts';
import { administerApplication } from './administer.ts';
import { applicationOption, wholeNumber } from './options.ts';

const POLL_INTERVAL_MS = 200;
const TIMEOUT_SECONDS = 30;

interface Options {
  application: number;
  environment: PushEnvironment;
  message: string;
  channel?: string;
}

export function addPushTestCommand(push: Command): void {
  push
    .command('test')
    .description('send a push to the devices of a user and show the outcome per device; needs a running service')
    .argument('<user>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .addOption(
      new Option('--environment <name>', 'environment of the devices').choices(PUSH_ENVIRONMENTS).default('production'),
    )
    .addOption(new Option('--channel <name>', 'channel (default: all but email)').choices(PUSH_CHANNELS))
    .option('--message <text>', 'text of the push', 'Test push')
    .action((user: number, { application, environment, message, channel: pushType }: Options, command: Command) =>
      administerApplication(command, application, async (context) => {
        const encoded = Buffer.from(message).toString('base64');
        const events = await createEvents({ environment, pushType, userIds: [user], message: encoded }, context, {});
        const deliveries = await Promise.all(events.map(({ id }) => outcomeOf(id, context)));
        const columns = ['subscriptionId', 'channel', 'status', 'attempts', 'answer', 'answeredAt'];
        return { value: deliveries.flat(), columns };
      }),
    );
}

async function outcomeOf(eventId: number, context: ActingContext): Promise<object[]> {
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1_000);
  for (;;) {
    const { edges } = await listPushSends({ eventId }, context, {});
    const send = edges[0]?.node;
    if (send?.finishedAt || (send && signal.aborted)) {
      const deliveries = await listPushDeliveries({ sendId: send.id, first: 100 }, context);
      return deliveries.edges.map(({ node: { applicationId: _, sendId: _sendId, ...delivery } }) => delivery);
    }
    if (signal.aborted) throw new Error(`the push was not sent within ${TIMEOUT_SECONDS} s; is the service running?`);
    await delay(POLL_INTERVAL_MS);
  }
}
