import { findApplication } from '../resolvers/applications/find.ts';
import { updateApplication } from '../resolvers/applications/update.ts';
import { builder } from './builder.ts';
import { columns } from './columns.ts';
import { CREATED_AT, UPDATED_AT } from './descriptions.ts';

const SignatureHash = builder.enumType('SignatureHash', {
  description: 'The hash under the signature (HMAC) of a request for a session.',
  values: {
    SHA1: { value: 'sha1', description: 'HMAC-SHA1, 40 hex digits: what clients of old sign with.' },
    SHA256: { value: 'sha256', description: 'HMAC-SHA256, 64 hex digits: the better choice for new clients.' },
  } as const,
});

const PhoneMatching = builder.enumType('PhoneMatching', {
  description: 'How contacts of address books find registered users.',
  values: {
    IDENTICAL: { value: 'identical', description: 'By exactly the same text.' },
    E164: { value: 'e164', description: 'By the same number, however it is written.' },
  } as const,
});

const GroupTags = builder.enumType('GroupTags', {
  description: 'Which tags make a user a member of a group, for permissions of records and classes.',
  values: {
    GRANTED: { value: 'granted', description: 'Those that an API key set.' },
    SELF: { value: 'self', description: 'All, also those that users set themselves: any user can join any group.' },
  } as const,
});

const FilesByNumber = builder.enumType('FilesByNumber', {
  description: 'Who reads a file that is not public by its number.',
  values: {
    OWNER: { value: 'owner', description: 'Its creator and API keys; others need its `uid`.' },
    SESSION: { value: 'session', description: 'Every session of the application. Numbers are easy to guess.' },
  } as const,
});

const Application = builder.prismaObject('Application', {
  description: 'An application and its settings, as its API key sees them.',
  select: columns(
    'id',
    'name',
    'authKey',
    'signatureHash',
    'usersList',
    'groups',
    'filesByNumber',
    'passwordReset',
    'sessionMinutes',
    'strictCredentialChanges',
    'chatPushes',
    'phoneMatching',
    'phoneRegion',
    'answerAssist',
    'summarize',
    'translate',
    'gateway',
    'aiDailyTokens',
    'createdAt',
    'updatedAt',
  ),
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'What clients send as application_id when they open a session.' }),
    name: t.exposeString('name', { description: 'For people alone: nothing depends on it.' }),
    authKey: t.exposeString('authKey', { description: 'Names the application when a session is opened.' }),
    signatureHash: t.expose('signatureHash', {
      type: SignatureHash,
      description: 'The one hash that signatures of its sessions may use.',
    }),
    usersList: t.exposeBoolean('usersList'),
    groups: t.expose('groups', { type: GroupTags }),
    filesByNumber: t.expose('filesByNumber', { type: FilesByNumber }),
    passwordReset: t.exposeBoolean('passwordReset'),
    sessionMinutes: t.exposeInt('sessionMinutes', { nullable: true }),
    strictCredentialChanges: t.exposeBoolean('strictCredentialChanges'),
    chatPushes: t.exposeBoolean('chatPushes'),
    phoneMatching: t.expose('phoneMatching', { type: PhoneMatching }),
    phoneRegion: t.exposeString('phoneRegion', { nullable: true }),
    answerAssist: t.exposeBoolean('answerAssist'),
    summarize: t.exposeBoolean('summarize'),
    translate: t.exposeBoolean('translate'),
    gateway: t.exposeBoolean('gateway'),
    aiDailyTokens: t.exposeInt('aiDailyTokens'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const UpdateApplicationInput = builder.inputType('UpdateApplicationInput', {
  description: 'What is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ description: 'At most 255 characters.' }),
    signatureHash: t.field({
      type: SignatureHash,
      description: 'The one hash that signatures of its sessions may use from now on.',
    }),
    usersList: t.boolean({ description: 'Whether sessions may list its users.' }),
    groups: t.field({
      type: GroupTags,
      description: 'Which tags make a user a member of a group. No tags are lost by a change.',
    }),
    filesByNumber: t.field({ type: FilesByNumber, description: 'Who reads a file that is not public by its number.' }),
    passwordReset: t.boolean({ description: 'Whether users may have mails sent by which they set a new password.' }),
    strictCredentialChanges: t.boolean({
      description:
        'Whether legacy clients need the old password or a fresh sign-in to change e-mail, phone or login, as others do.',
    }),
    chatPushes: t.boolean({ description: 'Whether offline occupants get pushes of messages.' }),
    sessionMinutes: t.int({
      description: "Lifetime of its sessions after the latest request, of open ones too; null is the service's own.",
    }),
    phoneMatching: t.field({
      type: PhoneMatching,
      description: 'How contacts of address books find registered users.',
    }),
    phoneRegion: t.string({
      description: 'ISO country of numbers without country code, `GB`; null: such numbers match only themselves.',
    }),
    answerAssist: t.boolean({ description: 'Whether assistants propose answers.' }),
    summarize: t.boolean({ description: 'Whether assistants summarize dialogs.' }),
    translate: t.boolean({ description: 'Whether assistants translate.' }),
    gateway: t.boolean({ description: 'Whether assistants take conversations as they are.' }),
    aiDailyTokens: t.int({ description: 'Tokens of models that each user may use up in a day (UTC).' }),
  }),
});

builder.queryField('application', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: Application,
    description: "The key's application.",
    resolve: (selection, _root, _args, { viewer }) => findApplication(viewer.applicationId, selection),
  }),
);

builder.mutationField('updateApplication', (t) =>
  t.withAuth({ key: true }).prismaField({
    type: Application,
    description: "Changes settings of the key's application.",
    args: {
      input: t.arg({ type: UpdateApplicationInput, required: true, description: 'What is to be other than it is.' }),
    },
    resolve: (selection, _root, { input }, context) =>
      updateApplication(context.viewer.applicationId, input, context, selection),
  }),
);
