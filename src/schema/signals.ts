import { SUPPORT } from '../administration/administrators/rights.ts';
import { actingContext } from '../context.ts';
import { findDialog } from '../resolvers/dialogs/find.ts';
import { MAX_BYTES } from '../resolvers/messages/rules.ts';
import {
  MAX_PAYLOAD_BYTES,
  MAX_SIGNAL_ID,
  type Signal,
  sendSignal,
  signalOf,
  subscribeToSignals,
} from '../resolvers/signals/send.ts';
import { builder } from './builder.ts';
import { Dialog } from './dialogs.ts';
import { requestedFields } from './requested-fields.ts';

const SignalKind = builder.enumType('SignalKind', {
  description: 'What a signal is for. Legacy chat clients treat each kind in its own way.',
  values: {
    MESSAGE: { value: 'message', description: 'A message that is shown but not stored.' },
    SYSTEM: { value: 'system', description: 'A notice of one app to another.' },
    CALL: { value: 'call', description: 'Sets up a voice or video call.' },
  } as const,
});

const SignalType = builder.objectRef<Signal>('Signal').implement({
  description: 'A message between users that is delivered at once and never stored.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Chosen by the sender, or assigned.' }),
    kind: t.expose('kind', { type: SignalKind, description: 'How the client of the recipient treats it.' }),
    senderId: t.exposeInt('senderId', { description: 'Id of the user who sent it.' }),
    dialogId: t.exposeID('dialogId', { nullable: true, description: 'Its dialog; null if it was sent to a user.' }),
    text: t.exposeString('text', { description: 'Empty if there is none.' }),
    payload: t.expose('payload', { type: 'JSON', description: 'JSON object of the sender.' }),
    recipientId: t.exposeInt('recipientId', {
      nullable: true,
      description: 'Its user; null if it was sent to a dialog.',
    }),
    dialog: t.field({
      scope: 'dialogs:read',
      type: Dialog,
      nullable: true,
      description: 'Its dialog as the caller sees it at delivery; null if it was sent to a user.',
      resolve: ({ dialogId }, _args, context, info) =>
        dialogId === null ? null : findDialog(dialogId, requestedFields(info), actingContext(context)),
    }),
    resource: t.string({
      nullable: true,
      description: 'Names the legacy chat client that sent it among those of its user; null for other transports.',
      resolve: ({ origin }) => origin?.resource ?? null,
    }),
    markable: t.boolean({
      description: 'Whether the legacy chat client that sent it wants receipts.',
      resolve: ({ origin }) => origin?.isMarkable === true,
    }),
    module: t.string({
      nullable: true,
      description: 'The module that the legacy chat client named; null if it named none, or for other transports.',
      resolve: ({ origin }) => origin?.module ?? null,
    }),
    receiptName: t.string({
      nullable: true,
      description: '`received` or `displayed` if it is a receipt of a legacy chat client; otherwise null.',
      resolve: ({ origin }) => origin?.marker?.name ?? null,
    }),
    receiptOf: t.string({
      nullable: true,
      description: 'Id of the message that the receipt confirms, which is not stored; null if it is no receipt.',
      resolve: ({ origin }) => origin?.marker?.messageId ?? null,
    }),
  }),
});

const SendSignalInput = builder.inputType('SendSignalInput', {
  description: 'A signal and its destination. `userId` or `dialogId`, and a text or a payload, are required.',
  fields: (t) => ({
    userId: t.int({ description: 'Id of the user who receives it on all devices.' }),
    dialogId: t.id({ description: 'Id of the dialog whose occupants receive it; only with the kind `MESSAGE`.' }),
    kind: t.field({ type: SignalKind, required: true, description: 'How the client of the recipient treats it.' }),
    id: t.string({ description: `Text of 1 to ${MAX_SIGNAL_ID} characters. Default: an id of the service.` }),
    text: t.string({ description: `At most ${MAX_BYTES / 1024} KiB of UTF-8.` }),
    payload: t.field({
      type: 'JSON',
      description: `JSON object of at most ${MAX_PAYLOAD_BYTES / 1024} KiB. The key \`moduleIdentifier\` is dropped.`,
    }),
  }),
});

builder.mutationField('sendSignal', (t) =>
  t.withAuth({ user: true }).field({
    needsVerifiedEmail: true,
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: SignalType,
    description:
      'Delivers a signal to the current `signals` subscribers among its recipients, and to their legacy chat clients. ' +
      'Signals of one sender keep their order. Fails with `NOT_FOUND` for an unknown user or dialog, and with ' +
      '`FORBIDDEN` if a block applies or the caller is no occupant.',
    args: { input: t.arg({ type: SendSignalInput, required: true, description: 'Content and destination.' }) },
    resolve: (_root, { input }, context) => sendSignal(input, context),
  }),
);

builder.subscriptionField('signals', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: SignalType,
    description:
      'Delivers the signals to the caller and to the private dialogs and groups of the caller, without those of public ' +
      'groups. They have no cursor: signals that were sent while the client was not connected are lost.',
    args: {
      includeSent: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether signals to users that other devices of the caller have sent are delivered, too.',
      }),
    },
    subscribe: (_root, { includeSent }, context) =>
      subscribeToSignals(context, {
        includesOwn: includeSent,
        ...(context.isJoined && { isJoined: context.isJoined }),
      }),
    resolve: ({ payload }) => signalOf(payload),
  }),
);
