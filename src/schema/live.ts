import type { StreamEvent } from '../realtime/subscription.ts';
import { findDialog } from '../resolvers/dialogs/find.ts';
import { startTyping } from '../resolvers/dialogs/typing.ts';
import { findMessage } from '../resolvers/messages/find.ts';
import { type ChangesSince, listChanges, subscribeToDialogs } from '../resolvers/messages/live.ts';
import { builder } from './builder.ts';
import { DIALOG_ID } from './descriptions.ts';
import { Dialog } from './dialogs.ts';
import { Message } from './messages.ts';
import { requestedFields } from './requested-fields.ts';

type Event = Pick<StreamEvent, 'payload'>;

const OF_DIALOG = "Left out: all the caller's dialogs, also those that come later.";
export const SINCE =
  'The cursor of an event: those behind it come first, then the live ones. Left out: from now on. ' +
  'One that is too old to be kept is refused with the code `CURSOR_EXPIRED`: load anew, then subscribe.';

const DialogEvent = builder.interfaceRef<Event>('DialogEvent').implement({
  description:
    'Something that happened in a dialog, told once and in order. What it is about is as it is when this is told; ' +
    'what is gone by then is not told.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Place in the one stream of all events; give it to any operation as `since` to go on from here.',
      resolve: ({ payload }) => String(payload.position),
    }),
    dialogId: t.id({ description: 'The dialog it happened in.', resolve: ({ payload }) => payload.dialogId! }),
  }),
  resolveType: ({ payload }) => payload.kind.replace(/^./, (letter) => letter.toUpperCase()),
});

const interfaces = [DialogEvent];

const MessageChange = (name: 'MessageSent' | 'MessageEdited', description: string) =>
  builder.objectRef<Event>(name).implement({
    description,
    interfaces,
    fields: (t) => ({
      message: t.field({
        type: Message,
        description: 'As it is when this is told.',
        resolve: ({ payload }, _args, context, info) =>
          findMessage(payload.subjectId, requestedFields(info), context as never),
      }),
    }),
  });

const MessageSent = MessageChange('MessageSent', 'There is a new message.');
MessageChange('MessageEdited', 'The text of a message is another.');

// Fields that have one name have one type in all events: else no document could ask several of them for it.
builder.objectRef<Event>('MessagesDeleted').implement({
  description: 'Messages are gone, for all or for the caller alone.',
  interfaces,
  fields: (t) => ({
    deletedIds: t.idList({
      description: 'Which messages are gone.',
      resolve: ({ payload }) => payload.detail!.messageIds!,
    }),
    forAll: t.boolean({
      description: 'False: the caller has deleted them for themselves, on another device perhaps.',
      resolve: ({ payload }) => payload.audienceIds === null,
    }),
    deletedBy: t.int({
      nullable: true,
      description: 'The user who deleted them; null for an API key alone.',
      resolve: ({ payload }) => payload.userId,
    }),
  }),
});

builder.objectRef<Event>('MessagesMarked').implement({
  description: 'Somebody has read messages, got them delivered, or taken such a mark back.',
  interfaces,
  fields: (t) => ({
    userId: t.int({ description: 'Whose marks these are.', resolve: ({ payload }) => payload.userId! }),
    messageIds: t.idList({
      nullable: true,
      description: 'Null: all that the dialog had at that moment.',
      resolve: ({ payload }) => payload.detail!.messageIds ?? null,
    }),
    read: t.boolean({
      nullable: true,
      description: 'Null: that mark stayed as it was.',
      resolve: ({ payload }) => payload.detail!.read ?? null,
    }),
    delivered: t.boolean({
      nullable: true,
      description: 'Null: that mark stayed as it was.',
      resolve: ({ payload }) => payload.detail!.delivered ?? null,
    }),
  }),
});

const ReactionChange = (name: 'ReactionAdded' | 'ReactionRemoved', description: string) =>
  builder.objectRef<Event>(name).implement({
    description,
    interfaces,
    fields: (t) => ({
      messageId: t.id({ description: 'The message it was left to.', resolve: ({ payload }) => payload.subjectId }),
      userId: t.int({ description: 'Whose reaction it is.', resolve: ({ payload }) => payload.userId! }),
      name: t.string({ description: 'Such as `like`.', resolve: ({ payload }) => payload.name! }),
    }),
  });

const ReactionAdded = ReactionChange('ReactionAdded', 'Somebody has left a reaction to a message.');
const ReactionRemoved = ReactionChange('ReactionRemoved', 'Somebody has taken a reaction back.');

builder.objectRef<Event>('DialogChanged').implement({
  description:
    'A dialog has come to the caller (created, joined, shown again), was renamed, or its data, occupants, admins or ' +
    'owner are others.',
  interfaces,
  fields: (t) => ({
    dialog: t.field({
      type: Dialog,
      description: 'As the caller sees it when this is told.',
      resolve: ({ payload }, _args, context) => findDialog(payload.dialogId!, context as never),
    }),
  }),
});

const DialogRemoval = builder.enumType('DialogRemoval', {
  description: "Why a dialog is not among the caller's any more.",
  values: {
    HIDDEN: { value: 'hidden', description: 'The caller has hidden the private dialog until its next message.' },
    LEFT: { value: 'left', description: 'The caller has left or was removed; nothing more comes of the dialog.' },
    DESTROYED: { value: 'destroyed', description: 'The dialog is gone for all.' },
  } as const,
});

builder.objectRef<Event>('DialogRemoved').implement({
  description: "The dialog is no longer among the caller's.",
  interfaces,
  fields: (t) => ({
    removal: t.field({
      type: DialogRemoval,
      description: 'Why it is not.',
      resolve: ({ payload }) => payload.detail!.removal!,
    }),
  }),
});

const Typing = builder.objectRef<Event>('Typing').implement({
  description: 'Somebody is typing; nothing tells that they have stopped, so let it fade after a few seconds.',
  fields: (t) => ({
    dialogId: t.id({ description: 'The dialog they are writing in.', resolve: ({ payload }) => payload.dialogId! }),
    userId: t.int({ description: 'Who is typing.', resolve: ({ payload }) => payload.userId! }),
  }),
});

const Changes = builder.objectRef<ChangesSince>('Changes').implement({
  description: 'What has happened, and the place to go on from.',
  fields: (t) => ({
    events: t.field({ type: [DialogEvent], description: 'In their order.', resolve: ({ events }) => events }),
    cursor: t.exposeString('cursor', {
      description: 'Give it as `since` to go on from here, also if nothing has happened.',
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether there is more to be had at once.' }),
  }),
});

builder.queryField('changes', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: Changes,
    description: 'What has happened since a cursor, for clients that ask now and then.',
    args: {
      since: t.arg.string({ description: 'Left out: no events, only the cursor of the present.' }),
      dialogId: t.arg.id({ description: "Left out: all the caller's dialogs." }),
      first: t.arg.int({ required: true, defaultValue: 50, description: '1 to 100.' }),
    },
    resolve: (_root, args, context) => listChanges(args, context),
  }),
);

builder.mutationField('startTyping', (t) =>
  t.withAuth({ user: true }).boolean({
    description:
      'Tells those who listen to `typing` now that the caller is typing; call it again every few seconds. ' +
      'Nothing of it is stored.',
    args: { dialogId: t.arg.id({ required: true, description: DIALOG_ID }) },
    resolve: (_root, { dialogId }, context) => startTyping(dialogId, context),
  }),
);

builder.subscriptionField('messageSent', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: MessageSent,
    description: 'Each new message.',
    args: { dialogId: t.arg.id({ description: OF_DIALOG }), since: t.arg.string({ description: SINCE }) },
    subscribe: (_root, args, context) => subscribeToDialogs('messageSent', args, context),
    resolve: eventOf,
  }),
);

builder.subscriptionField('reactionAdded', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: ReactionAdded,
    description: 'Each reaction that is left.',
    args: { dialogId: t.arg.id({ description: OF_DIALOG }), since: t.arg.string({ description: SINCE }) },
    subscribe: (_root, args, context) => subscribeToDialogs('reactionAdded', args, context),
    resolve: eventOf,
  }),
);

builder.subscriptionField('reactionRemoved', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: ReactionRemoved,
    description: 'Each reaction that is taken back.',
    args: { dialogId: t.arg.id({ description: OF_DIALOG }), since: t.arg.string({ description: SINCE }) },
    subscribe: (_root, args, context) => subscribeToDialogs('reactionRemoved', args, context),
    resolve: eventOf,
  }),
);

builder.subscriptionField('dialogEvents', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: DialogEvent,
    description:
      'All that happens. It ends when the caller is removed from the dialog it was asked for, with a `DialogRemoved`.',
    args: { dialogId: t.arg.id({ description: OF_DIALOG }), since: t.arg.string({ description: SINCE }) },
    subscribe: (_root, args, context) => subscribeToDialogs('dialogEvents', args, context),
    resolve: eventOf,
  }),
);

builder.subscriptionField('typing', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: Typing,
    description:
      "Who is typing in the dialog, from now on; the caller's own typing comes too, on all their devices, so leave out " +
      'what bears their `userId`. It ends when the caller is removed from the dialog.',
    args: { dialogId: t.arg.id({ required: true, description: DIALOG_ID }) },
    subscribe: (_root, args, context) => subscribeToDialogs('typing', args, context),
    resolve: eventOf,
  }),
);

function eventOf(event: Event): Event & {} {
  return event;
}
