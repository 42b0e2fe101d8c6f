import { SUPPORT } from '../administration/administrators/rights.ts';
import { userContext } from '../context.ts';
import type { StreamEvent } from '../realtime/subscription.ts';
import { acceptContact, rejectContact, removeContact, requestContact } from '../resolvers/chat-contacts/change.ts';
import { findChatContact, listChatContacts, subscribeToContacts } from '../resolvers/chat-contacts/list.ts';
import { type ChatContact, MAX_CONTACTS } from '../resolvers/chat-contacts/rows.ts';
import { builder } from './builder.ts';
import { EVENT_CURSOR, USER_ID } from './descriptions.ts';
import { SINCE } from './live.ts';

const REFUSALS = 'Fails with `NOT_FOUND` if the user does not exist';

const ContactSubscription = builder.enumType('ContactSubscription', {
  description: 'Which of the caller and a contact has let the other see when they are online.',
  values: {
    NONE: { value: 'none', description: 'Neither of them, for example while a request is unanswered.' },
    TO: { value: 'to', description: 'The caller sees the contact.' },
    FROM: { value: 'from', description: 'The contact sees the caller.' },
    BOTH: { value: 'both', description: 'They see each other.' },
  } as const,
});

const ChatContactType = builder.objectRef<ChatContact>('ChatContact').implement({
  description: 'A user in the contact list of the caller, which legacy chat clients call roster.',
  fields: (t) => ({
    userId: t.exposeInt('userId', { description: 'Id of the user in the list.' }),
    subscription: t.expose('subscription', { type: ContactSubscription, description: 'What has been accepted.' }),
    requested: t.exposeBoolean('requested', { description: 'Whether the caller has asked and waits for the answer.' }),
    pending: t.exposeBoolean('pending', { description: 'Whether the other has asked and waits for the answer.' }),
  }),
});

builder.queryField('chatContacts', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'contacts',
    administrator: { roles: SUPPORT },
    type: [ChatContactType],
    description: `Contacts of the caller with the open requests of both directions, by id. At most ${MAX_CONTACTS}.`,
    resolve: (_root, _args, context) => listChatContacts(context),
  }),
);

function contactMutation(name: string, description: string, change: typeof requestContact): void {
  builder.mutationField(name, (t) =>
    t.withAuth({ user: true }).field({
      scope: 'contacts',
      administrator: { roles: SUPPORT, needsReason: true },
      type: ChatContactType,
      description,
      args: { userId: t.arg.int({ required: true, description: USER_ID }) },
      resolve: (_root, { userId }, context) => change(userId, context),
    }),
  );
}

contactMutation(
  'requestContact',
  'Asks a user to become a contact. Has no effect if the caller has already asked, or was accepted. ' +
    `${REFUSALS}, with \`FORBIDDEN\` if a block applies, and with \`UNPROCESSABLE\` if one of them has ` +
    `${MAX_CONTACTS} contacts.`,
  requestContact,
);
contactMutation(
  'acceptContact',
  'Accepts the request of a user and asks back. Once the user has accepted as well, both are contacts. ' +
    `${REFUSALS} or has not asked, and with \`FORBIDDEN\` if a block applies.`,
  acceptContact,
);
contactMutation(
  'rejectContact',
  `Rejects the request of a user, or ends what the caller has accepted. ${REFUSALS} or has not asked.`,
  rejectContact,
);
contactMutation(
  'removeContact',
  `Removes a user from the list of the caller, and the caller from theirs. ${REFUSALS} or is no contact.`,
  removeContact,
);

const ContactAction = builder.enumType('ContactAction', {
  description: 'What a user did with a contact.',
  values: {
    REQUESTED: { value: 'requested', description: 'Asked the other to become a contact.' },
    ACCEPTED: { value: 'accepted', description: 'Accepted the request of the other.' },
    REJECTED: { value: 'rejected', description: 'Rejected the request, or ended what was accepted.' },
    WITHDRAWN: { value: 'withdrawn', description: 'Withdrew the request, or no longer sees the other.' },
    REMOVED: { value: 'removed', description: 'Removed the other from both lists.' },
  } as const,
});

const ContactChanged = builder.objectRef<Pick<StreamEvent, 'payload'>>('ContactChanged').implement({
  description: 'A contact of the caller changed, by the caller or by the other user.',
  fields: (t) => ({
    cursor: t.string({ description: EVENT_CURSOR, resolve: ({ payload }) => String(payload.position) }),
    action: t.field({
      type: ContactAction,
      description: 'What was done.',
      resolve: ({ payload }) => payload.detail!.contact!,
    }),
    initiatorId: t.int({ description: 'Id of the user who did it.', resolve: ({ payload }) => payload.userId! }),
    contact: t.field({
      type: ChatContactType,
      description: 'The contact at delivery; one that was removed has the subscription `NONE` and no request.',
      resolve: ({ payload }, _args, context) => findChatContact(Number(payload.subjectId), userContext(context)),
    }),
  }),
});

builder.subscriptionField('contactChanged', (t) =>
  t.withAuth({ user: true }).field({
    scope: 'contacts',
    administrator: { roles: SUPPORT, needsReason: true },
    type: ContactChanged,
    description: 'Delivers each change of the contacts of the caller.',
    args: { since: t.arg.string({ description: SINCE }) },
    subscribe: (_root, { since }, context) => subscribeToContacts(since, context),
    resolve: (event) => event,
  }),
);
