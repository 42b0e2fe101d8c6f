import type { GraphQLSchema } from 'graphql';
import { builder } from '../../schema/builder.ts';
import { OWNER } from '../administrators/rights.ts';
import { requireOwnerOfAll } from '../administrators/rules.ts';
import { type ListedEntry, listAuditEntries } from '../audit/list.ts';

const AuditActorKind = builder.enumType('AuditActorKind', {
  description: 'Who made a recorded change.',
  values: {
    ADMINISTRATOR: { value: 'administrator', description: 'A person in the console.' },
    API_KEY: { value: 'apiKey', description: 'A program with an API key, also with `On-Behalf-Of`.' },
    OPERATOR: { value: 'operator', description: 'The operator, at the command line.' },
  } as const,
});

const AuditAction = builder.enumType('AuditAction', {
  description: 'What was done.',
  values: {
    CREATE: { value: 'create', description: 'The object was created.' },
    UPDATE: { value: 'update', description: 'The object was changed.' },
    DELETE: { value: 'delete', description: 'The object was deleted.' },
    READ: { value: 'read', description: 'An administrator read data that requires a reason.' },
  } as const,
});

const AuditEntry = builder.objectRef<ListedEntry>('AuditEntry').implement({
  description: 'One change of one object by an administrator, an API key or the operator.',
  fields: (t) => ({
    id: t.id({ description: 'Identifier; newer entries have larger numbers.', resolve: ({ id }) => String(id) }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
    actorKind: t.expose('actorKind', { type: AuditActorKind, description: 'Who made the change.' }),
    actorId: t.exposeInt('actorId', {
      nullable: true,
      description: 'Id of the administrator or the API key; null for the operator.',
    }),
    network: t.exposeString('network', {
      nullable: true,
      description: 'Network address of the client, IPv6 addresses as a /64 prefix; null for the operator.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Reason that the administrator stated.' }),
    action: t.expose('action', { type: AuditAction, description: 'What was done.' }),
    subject: t.exposeString('subject', {
      description: 'Type of the object, for example `User`; for `READ`, the name of the operation.',
    }),
    description: t.string({
      nullable: true,
      description: 'For `READ`, what the operation does, from its description in the schema; null for changes.',
      resolve: ({ action, subject }, _args, _context, { schema }) =>
        action === 'read' ? describedOperation(subject, schema) : null,
    }),
    subjectId: t.exposeString('subjectId', {
      description: 'Id of the object; several ids are separated by `/`. Empty for a list.',
    }),
    before: t.expose('before', {
      type: 'JSON',
      nullable: true,
      description:
        'Stored columns before the change, of an update only the changed ones; null for a created object. Secrets, ' +
        'texts of messages, and `uid`, name and tags of files are `redacted`.',
    }),
    after: t.expose('after', {
      type: 'JSON',
      nullable: true,
      description: 'Stored columns after the change, with the same rules; null for a deleted object.',
    }),
  }),
});

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Conditions of which all must hold. Omitted fields and null select all entries.',
  fields: (t) => ({
    id: t.id({ description: 'Identifier of the entry.' }),
    actorKind: t.field({ type: AuditActorKind, description: 'Who made the change.' }),
    actorId: t.int({ description: 'Id of the administrator or the API key; requires `actorKind`.' }),
    action: t.field({ type: AuditAction, description: 'What was done.' }),
    subject: t.string({ description: 'Type of the object or name of the operation, exactly as in the entry.' }),
    subjectId: t.string({ description: 'Id of the object; requires `subject`.' }),
    from: t.field({ type: 'DateTime', description: 'Only entries of this time and later.' }),
    to: t.field({ type: 'DateTime', description: 'Only entries before this time.' }),
  }),
});

/** The first sentence; null for an operation of an earlier release. */
function describedOperation(name: string, schema: GraphQLSchema): string | null {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const field = roots.flatMap((root) => root?.getFields()[name] ?? [])[0];
  return field?.description?.match(/^[^.;]+/)?.[0].replaceAll(/\s+/g, ' ') ?? null;
}

builder.queryField('auditEntries', (t) =>
  t.withAuth({ administrator: true }).connection({
    administrator: { roles: OWNER },
    type: AuditEntry,
    description:
      'The audit log of the application in the header `Application`, newest first; with `none`, the changes of ' +
      'administrators and their roles, which an owner of all applications may read.',
    args: { filter: t.arg({ type: AuditFilter, description: 'Which entries to return. Default: all.' }) },
    resolve: (_root, args, { viewer }) => {
      if (viewer.kind === 'key') return listAuditEntries(viewer.applicationId, args);
      requireOwnerOfAll(viewer);
      return listAuditEntries(0, args);
    },
  }),
);
