import { SUPPORT } from '../administration/administrators/rights.ts';
import { actingContext } from '../context.ts';
import { MAX_PAGE } from '../lib/pagination.ts';
import type { StreamEvent, SubscriptionKind } from '../realtime/subscription.ts';
import { findDialog } from '../resolvers/dialogs/find.ts';
import { startTyping, stopTyping } from '../resolvers/dialogs/typing.ts';
import { findMessage } from '../resolvers/messages/find.ts';
import {
  type ChangesSince,
  listChanges,
  listMarked,
  MAX_MARKED,
  type Marked,
  subscribeToDialogs,
  subscribeToTyping,
} from '../resolvers/messages/live.ts';
import { builder, type InterfaceOf, type ObjectFields, type RefOf } from './builder.ts';
import { DIALOG_ID, EVENT_CURSOR } from './descriptions.ts';
import { Dialog } from './dialogs.ts';
import { Message } from './messages.ts';
import { requestedFields } from './requested-fields.ts';

type Event = Pick<StreamEvent, 'payload'>;

const OF_DIALOG = 'Id of a dialog. Default: all dialogs of the caller, including those that the caller joins later.';
export const SINCE =
  'Cursor of an event: later events are delivered first, then live events. Default: only live events. A cursor older ' +
  'than the stored events (24 hours by default) fails with `CURSOR_EXPIRED`: reload the data, then subscribe again.';

const DialogEvent = builder.interfaceRef<Event>('DialogEvent').implement({
  description:
    'A change in a dialog. Each event is delivered once and in order. Its subject is loaded at delivery; events ' +
    'whose subject has been deleted by then are skipped.',
  fields: (t) => ({
    cursor: t.string({
      description: EVENT_CURSOR,
      resolve: ({ payload }) => String(payload.position),
    }),
    dialogId: t.id({
      description: 'Id of the dialog that the event belongs to.',
      resolve: ({ payload }) => payload.dialogId!,
    }),
  }),
  resolveType: ({ payload }) => payload.kind.replace(/^./, (letter) => letter.toUpperCase()),
});

const interfaces = [DialogEvent];

type EventFields = ObjectFields<Event>;

const message = (t: EventFields) =>
  t.field({
    type: Message,
    description: 'The message in its current state at delivery.',
    resolve: ({ payload }, _args, context, info) =>
      findMessage(payload.subjectId, requestedFields(info), actingContext(context)),
  });

const resource = (t: EventFields) =>
  t.string({
    nullable: true,
    description: 'Names the legacy chat client that did it among those of its user; null for other transports.',
    resolve: ({ payload }) => payload.detail?.origin?.resource ?? null,
  });

const dialog = (t: EventFields) =>
  t.field({
    scope: 'dialogs:read',
    type: Dialog,
    description: 'The dialog as the caller sees it at delivery.',
    resolve: ({ payload }, _args, context, info) =>
      findDialog(payload.dialogId!, requestedFields(info), actingContext(context)),
  });

const MessageSent = builder.objectRef<Event>('MessageSent').implement({
  description: 'A message was sent.',
  interfaces,
  fields: (t) => ({
    message: message(t),
    resource: resource(t),
    dialog: dialog(t),
  }),
});

builder.objectRef<Event>('MessageEdited').implement({
  description: 'The text of a message was edited.',
  interfaces,
  fields: (t) => ({ message: message(t) }),
});

// A field name has the same type in all events, so that one document can select it from several of them.
builder.objectRef<Event>('MessagesDeleted').implement({
  description: 'Messages were deleted, for all users or only for the caller.',
  interfaces,
  fields: (t) => ({
    deletedIds: t.idList({
      description: 'Ids of the messages that were deleted.',
      resolve: ({ payload }) => payload.detail!.messageIds!,
    }),
    forAll: t.boolean({
      description:
        'Whether they were deleted for all users. False if the caller deleted them for themselves, possibly on ' +
        'another device.',
      resolve: ({ payload }) => payload.audienceIds === null,
    }),
    deletedBy: t.int({
      nullable: true,
      description: 'Id of the user who deleted them; null for an API key without `On-Behalf-Of`.',
      resolve: ({ payload }) => payload.userId,
    }),
  }),
});

const MarkedMessage = builder.objectRef<Marked>('MarkedMessage').implement({
  description: 'A message whose marks changed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits, as in `messages`.' }),
    clientId: t.exposeString('clientId', { nullable: true, description: 'Text that its client chose as id.' }),
    senderId: t.exposeInt('senderId', { description: 'Id of the user who sent the marked message.' }),
  }),
});

builder.objectRef<Event>('MessagesMarked').implement({
  description: 'A user marked messages as read, unread, delivered or not delivered.',
  interfaces,
  fields: (t) => ({
    userId: t.int({ description: 'Id of the user whose marks changed.', resolve: ({ payload }) => payload.userId! }),
    messageIds: t.idList({
      nullable: true,
      description: 'Ids of the marked messages; null means all messages that the dialog had at that time.',
      resolve: ({ payload }) => payload.detail!.messageIds ?? null,
    }),
    read: t.boolean({
      nullable: true,
      description: 'New read mark; null if it did not change.',
      resolve: ({ payload }) => payload.detail!.read ?? null,
    }),
    delivered: t.boolean({
      nullable: true,
      description: 'New delivery mark; null if it did not change.',
      resolve: ({ payload }) => payload.detail!.delivered ?? null,
    }),
    resource: resource(t),
    stanzaId: t.string({
      nullable: true,
      description: 'Id of the stanza with which a legacy chat client marked them; null for other transports.',
      resolve: ({ payload }) => payload.detail!.origin?.stanzaId ?? null,
    }),
    messages: t.field({
      type: [MarkedMessage],
      description: `The marked messages that still exist; the newest ${MAX_MARKED} if all of the dialog were marked.`,
      resolve: ({ payload }) => listMarked(payload),
    }),
  }),
});

const ReactionChange = (name: 'ReactionAdded' | 'ReactionRemoved', description: string) =>
  builder.objectRef<Event>(name).implement({
    description,
    interfaces,
    fields: (t) => ({
      messageId: t.id({
        description: 'Id of the message with the reaction.',
        resolve: ({ payload }) => payload.subjectId,
      }),
      userId: t.int({ description: 'Id of the user who reacted.', resolve: ({ payload }) => payload.userId! }),
      name: t.string({ description: 'Reaction name, for example `like`.', resolve: ({ payload }) => payload.name! }),
    }),
  });

const ReactionAdded = ReactionChange('ReactionAdded', 'A user added a reaction to a message.');
const ReactionRemoved = ReactionChange('ReactionRemoved', 'A user removed a reaction from a message.');

builder.objectRef<Event>('DialogChanged').implement({
  description:
    'A dialog was added to the list of the caller (created, joined or no longer hidden), or its name, photo, data, ' +
    'occupants, admins or owner changed.',
  interfaces,
  fields: (t) => ({ dialog: dialog(t) }),
});

const DialogRemoval = builder.enumType('DialogRemoval', {
  description: 'Why a dialog was removed from the list of the caller.',
  values: {
    HIDDEN: { value: 'hidden', description: 'The caller hid the private dialog until its next message.' },
    LEFT: { value: 'left', description: 'The caller left or was removed and receives no more events of the dialog.' },
    DESTROYED: { value: 'destroyed', description: 'The dialog was deleted for all users.' },
  } as const,
});

builder.objectRef<Event>('DialogRemoved').implement({
  description: 'A dialog was removed from the list of the caller.',
  interfaces,
  fields: (t) => ({
    removal: t.field({
      type: DialogRemoval,
      description: 'Reason for the removal.',
      resolve: ({ payload }) => payload.detail!.removal!,
    }),
    initiatorId: t.int({
      nullable: true,
      description: 'Id of the user who hid, left or deleted it, or removed the caller; null for an API key.',
      resolve: ({ payload }) => payload.userId,
    }),
  }),
});

const Typing = builder.objectRef<Event>('Typing').implement({
  description: 'A user is typing, or has stopped.',
  fields: (t) => ({
    dialogId: t.id({
      description: 'Id of the dialog in which the user is typing.',
      resolve: ({ payload }) => payload.dialogId!,
    }),
    userId: t.int({ description: 'Id of the user who is typing.', resolve: ({ payload }) => payload.userId! }),
    isTyping: t.boolean({
      description: 'False if the user has stopped, which is delivered with `includeStops` only.',
      resolve: ({ payload }) => payload.detail?.isTyping !== false,
    }),
    resource: resource(t),
    dialog: dialog(t),
  }),
});

const Changes = builder.objectRef<ChangesSince>('Changes').implement({
  description: 'Events after a cursor, and the cursor to continue from.',
  fields: (t) => ({
    events: t.expose('events', { type: [DialogEvent], description: 'Events, oldest first.' }),
    cursor: t.exposeString('cursor', {
      description: 'Pass it as `since` to continue, even if there are no events.',
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether another call returns more events immediately.' }),
  }),
});

builder.queryField('changes', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT, needsReason: true },
    type: Changes,
    description: 'Dialog events after a cursor, for clients that poll.',
    args: {
      since: t.arg.string({
        description:
          'Cursor to start after; an expired cursor fails with `CURSOR_EXPIRED`. Default: no events, only the ' +
          'current cursor.',
      }),
      dialogId: t.arg.id({ description: 'Id of a dialog. Default: all dialogs of the caller.' }),
      first: t.arg.int({
        required: true,
        defaultValue: 50,
        description: `Maximum number of events, 1 to ${MAX_PAGE}.`,
      }),
    },
    resolve: (_root, args, context) => listChanges(args, context),
  }),
);

function typingMutation(name: string, description: string, change: typeof startTyping): void {
  builder.mutationField(name, (t) =>
    t.withAuth({ user: true }).boolean({
      scope: 'messages',
      administrator: { roles: SUPPORT },
      description,
      args: {
        dialogId: t.arg.id({ description: `${DIALOG_ID} Required without \`recipientId\`.` }),
        recipientId: t.arg.int({ description: 'The other user of an existing private dialog, instead of `dialogId`.' }),
      },
      resolve: (_root, args, context) => change(args, context),
    }),
  );
}

typingMutation(
  'startTyping',
  'Notifies the current `typing` subscribers that the caller is typing. Call it again every few seconds while ' +
    'the user types. Nothing is stored.',
  startTyping,
);
typingMutation(
  'stopTyping',
  'Notifies the current `typing` subscribers with `includeStops` that the caller has stopped typing.',
  stopTyping,
);

function dialogSubscription(
  name: SubscriptionKind,
  type: RefOf<Event> | InterfaceOf<Event>,
  description: string,
): void {
  builder.subscriptionField(name, (t) =>
    t.withAuth({ userOrKey: true }).field({
      scope: 'messages',
      administrator: { roles: SUPPORT, needsReason: true },
      type,
      description,
      args: { dialogId: t.arg.id({ description: OF_DIALOG }), since: t.arg.string({ description: SINCE }) },
      subscribe: (_root, args, context) => subscribeToDialogs(name, args, context),
      resolve: (event) => event,
    }),
  );
}

dialogSubscription('messageSent', MessageSent, 'Delivers each new message.');
dialogSubscription('reactionAdded', ReactionAdded, 'Delivers each added reaction.');
dialogSubscription('reactionRemoved', ReactionRemoved, 'Delivers each removed reaction.');
dialogSubscription(
  'dialogEvents',
  DialogEvent,
  'Delivers all dialog events. A subscription to one dialog ends with a `DialogRemoved` when the caller is ' +
    'removed from that dialog.',
);

builder.subscriptionField('typing', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'messages',
    administrator: { roles: SUPPORT },
    type: Typing,
    description:
      "Delivers an event while a user types in the dialog. The caller's own typing is included on all of the " +
      "caller's devices; ignore events with the caller's `userId`. Ends when the caller is removed from the dialog.",
    args: {
      dialogId: t.arg.id({
        description: 'Id of a dialog. Default: all private dialogs and groups of the caller, without public groups.',
      }),
      includeStops: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'Whether an event follows when a user stops: after `stopTyping`, or 6 seconds after the last `startTyping`. ' +
          'Without it, hide the indicator after a few seconds.',
      }),
    },
    subscribe: (_root, args, context) => subscribeToTyping(args, context),
    resolve: (event) => event,
  }),
);
