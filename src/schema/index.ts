import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Access } from '../lib/access.ts';
import { REASONS } from '../lib/reasons.ts';
import type { LimitName } from '../platform/limits/definitions.ts';
import { builder } from './builder.ts';
import './scalars.ts';
import './sessions.ts';
import './account-settings.ts';
import '../administration/schema/index.ts';
import './applications.ts';
import './api-keys.ts';
import './users.ts';
import './user-changes.ts';
import './user-moderation.ts';
import './password-resets.ts';
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
import './live.ts';
import './presence.ts';
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

/** By `Query.dialog` or `Mutation.sendMessage`. */
export const operationAccess: ReadonlyMap<string, Access> = readAccess(schema);

export function operationLimit(operation: string): LimitName {
  const [type, name] = operation.split('.');
  const { pothosOptions } = (schema.getType(type!) as GraphQLObjectType).getFields()[name!]!.extensions;
  return (pothosOptions as { rateLimit?: LimitName }).rateLimit ?? 'default';
}

/** Denies by default: the process does not start if an operation declares no access. */
export function readAccess(schema: GraphQLSchema): Map<string, Access> {
  const access = new Map<string, Access>();
  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const [name, scopes] of scopesOf(type!)) {
      const [scope, ...others] = Object.keys(scopes ?? {});
      if (!scope || others.length > 0) throw new Error(`${type!.name}.${name} must declare exactly one access`);
      access.set(`${type!.name}.${name}`, scope as Access);
    }
  }
  return access;
}

function scopesOf(type: GraphQLObjectType): [string, object | undefined][] {
  return Object.entries(type.getFields()).map(([name, field]) => {
    const { authScopes } = (field.extensions.pothosOptions ?? {}) as { authScopes?: object };
    return [name, authScopes];
  });
}

export { administratorOperations, rightOf } from './plugins/administrator-access.ts';
