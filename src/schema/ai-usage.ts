import { DEVELOPER } from '../administration/administrators/rights.ts';
import { findAiUsage, MAX_DAYS, MAX_USERS, type AiUsage as UsageShape } from '../resolvers/ai/usage.ts';
import { builder } from './builder.ts';

const REQUESTS = 'Number of requests to models.';
const FAILURES = 'Number of requests that no model answered.';
const TOKENS = 'Tokens of prompts and answers. Estimated for streams, and for models that do not report them.';

const AssistantUsage = builder.objectRef<UsageShape['assistants'][number]>('AssistantUsage').implement({
  description: 'What one assistant used in the period.',
  fields: (t) => ({
    assistantId: t.exposeID('assistantId', { description: 'Id of the assistant, which may have been deleted.' }),
    name: t.exposeString('name', { nullable: true, description: 'Name of the assistant; null if it was deleted.' }),
    requests: t.exposeInt('requests', { description: REQUESTS }),
    failures: t.exposeInt('failures', { description: FAILURES }),
    tokens: t.expose('tokens', { type: 'SafeInt', description: TOKENS }),
  }),
});

const DayUsage = builder.objectRef<UsageShape['days'][number]>('AiUsageDay').implement({
  description: 'What all assistants used on one day (UTC).',
  fields: (t) => ({
    day: t.expose('day', { type: 'DateTime', description: 'Start of the day (UTC).' }),
    requests: t.exposeInt('requests', { description: REQUESTS }),
    failures: t.exposeInt('failures', { description: FAILURES }),
    tokens: t.expose('tokens', { type: 'SafeInt', description: TOKENS }),
  }),
});

const UserUsage = builder.objectRef<UsageShape['users'][number]>('AiUsageUser').implement({
  description: 'What one user used today (UTC).',
  fields: (t) => ({
    userId: t.exposeInt('userId', { description: 'The user who asked assistants.' }),
    tokens: t.exposeInt('tokens', { description: 'Tokens that count towards the daily quota.' }),
  }),
});

const AiUsage = builder.objectRef<UsageShape>('AiUsage').implement({
  description: 'Requests to language models, and the tokens they used.',
  fields: (t) => ({
    dailyTokens: t.exposeInt('dailyTokens', {
      description: 'Tokens that each user may use per day (`aiDailyTokens`).',
    }),
    requests: t.exposeInt('requests', { description: REQUESTS }),
    failures: t.exposeInt('failures', { description: FAILURES }),
    tokens: t.expose('tokens', { type: 'SafeInt', description: TOKENS }),
    assistants: t.expose('assistants', { type: [AssistantUsage], description: 'Per assistant, most tokens first.' }),
    days: t.expose('days', { type: [DayUsage], description: 'Every day of the period, oldest first.' }),
    users: t.expose('users', {
      type: [UserUsage],
      description:
        `The ${MAX_USERS} users with the most tokens today (UTC). Requests of API keys and administrators count for no user. ` +
        'Empty while rate limits are off.',
    }),
  }),
});

builder.queryField('aiUsage', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'settings',
    administrator: { roles: DEVELOPER },
    type: AiUsage,
    description: 'How many model tokens the application has used.',
    args: {
      days: t.arg.int({
        required: true,
        defaultValue: 30,
        description: `Number of days (UTC), 1 to ${MAX_DAYS}. The last one is today.`,
      }),
    },
    resolve: (_root, { days }, context) => findAiUsage(context.viewer.applicationId, days, context),
  }),
);
