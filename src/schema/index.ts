import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Access } from '../lib/access.ts';
import { REASONS } from '../lib/reasons.ts';
import type { LimitName } from '../platform/limits/definitions.ts';
import { builder } from './builder.ts';
import { scopeOf } from './plugins/rights.ts';
import './scalars.ts';
import './sessions.ts';
import './account-settings.ts';
import '../administration/schema/index.ts';
import './applications.ts';
import './api-keys.ts';
import './users.ts';
import './user-changes.ts';
import './user-moderation.ts';
import './roles.ts';
import './password-resets.ts';
import './email-codes.ts';
import './token-issuers.ts';
import './identity-providers.ts';
import './mail.ts';
import './messages.ts';
import './message-changes.ts';
import './unread-counts.ts';
import './dialogs.ts';
import './dialog-changes.ts';
import './dialog-notifications.ts';
import './reactions.ts';
import './classes.ts';
import './records.ts';
import './record-pages.ts';
import './record-explanations.ts';
import './record-changes.ts';
import './record-files.ts';
import './record-filters.ts';
import './live-records.ts';
import './files.ts';
import './blobs.ts';
import './blocks.ts';
import './chat-contacts.ts';
import './live.ts';
import './presence.ts';
import './signals.ts';
import './push-subscriptions.ts';
import './push-events.ts';
import './push-settings.ts';
import './push-log.ts';
import './address-book.ts';
import './geodata.ts';
import './assistants.ts';
import './ai.ts';
import './ai-usage.ts';

export const schema: GraphQLSchema = builder.toSchema();
schema.description = `The rules of Atrium, for all transports.

Each error has \`extensions.code\`, the kind of failure, and \`extensions.reason\`, its stable cause. \`parameters\` has the
values in its message, \`field\` the field of the input, and \`record\` the number of the record in an operation on several.
If there are several causes, these are those of the first one, and \`problems\` lists up to 100 of them. \`fields\` has the
messages by input field. Messages may change; programs compare reasons:

${Object.entries(REASONS)
  .map(([reason, sentence]) => `- \`${reason}\`: ${sentence}`)
  .join('\n')}`;

/** API keys may run operations with these. */
const FOR_KEYS: readonly Access[] = ['session', 'user', 'userOrKey', 'key'];

/** By `Query.dialog` or `Mutation.sendMessage`. */
export const operationAccess: ReadonlyMap<string, Access> = readAccess(schema);

export function operationLimit(operation: string): LimitName {
  const [type, name] = operation.split('.');
  const { pothosOptions } = (schema.getType(type!) as GraphQLObjectType).getFields()[name!]!.extensions;
  return (pothosOptions as { rateLimit?: LimitName }).rateLimit ?? 'default';
}

/** Denies by default: the process does not start if an operation declares no access, or no scope for API keys. */
export function readAccess(schema: GraphQLSchema): Map<string, Access> {
  const access = new Map<string, Access>();
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const [name, { extensions }] of Object.entries(type!.getFields())) {
      const { authScopes, genericName = name } = (extensions.pothosOptions ?? {}) as {
        authScopes?: object;
        genericName?: string;
      };
      const [declared, ...others] = Object.keys(authScopes ?? {}) as Access[];
      if (!declared || others.length > 0) throw new Error(`${type!.name}.${name} must declare exactly one access`);
      if (FOR_KEYS.includes(declared) && !scopeOf(genericName))
        throw new Error(`${type!.name}.${name} must declare a scope`);
      access.set(`${type!.name}.${name}`, declared);
    }
  }
  return access;
}

export { administratorOperations, rightOf, scopeOf } from './plugins/rights.ts';
