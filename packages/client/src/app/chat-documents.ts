import type { ResultOf } from '../generated/gql-tada.d.ts';
import { graphql } from '../schema.ts';
import type { Dialog, SentMessage, User } from './chat-types.ts';
import { attachmentsOf, membersOf } from './foreign-json.ts';

export const USERS = graphql(`query Users($filter: UserFilter, $first: Int, $after: String) {
  users(filter: $filter, first: $first, after: $after, orderBy: { field: FULL_NAME, direction: ASC }) {
    edges { node { id login fullName email blobId customData } } pageInfo { hasNextPage endCursor }
  }
}`);
export const USER = graphql(`query User($id: Int!) { user(id: $id) { id login fullName email blobId customData } }`);
export const USER_BY_LOGIN = graphql(`query UserByLogin($login: String!) {
  userByLogin(login: $login) { id login fullName email blobId customData }
}`);
export const ME = graphql(`query Me { me { id login fullName email blobId customData } }`);
export const REQUEST_CODE = graphql(`mutation RequestSignInCode(
  $applicationId: Int!, $email: String!, $language: String
) {
  requestSignInCode(applicationId: $applicationId, email: $email, language: $language) { token expiresAt }
}`);
export const REQUEST_PASSKEY = graphql(`mutation RequestPasskeySignIn($applicationId: Int!) {
  requestPasskeySignIn(applicationId: $applicationId) { token expiresAt methods passkeyOptions }
}`);
export const PASSKEYS = graphql(`query Passkeys { signInMethods { passkeys { id name host createdAt lastUsedAt } } }`);
export const NEW_PASSKEY = graphql(`mutation RequestUserPasskey { requestUserPasskey { token passkeyOptions } }`);
export const ADD_PASSKEY = graphql(`mutation CreateUserPasskey(
  $name: String!, $token: String!, $passkey: PasskeyRegistrationInput!
) {
  createUserPasskey(name: $name, token: $token, passkey: $passkey) { id name host createdAt lastUsedAt }
}`);
export const REQUEST_VERIFICATION = graphql(`mutation RequestEmailVerification($language: String) {
  requestEmailVerification(language: $language) { token expiresAt }
}`);
export const VERIFY = graphql(`mutation VerifyEmail($token: String!, $code: String) {
  verifyEmail(token: $token, code: $code)
}`);
export const EMAIL = graphql(`query Email { me { email emailVerified } }`);
export const CREATE_USER = graphql(`mutation SignUp($input: CreateUserInput!) { createUser(input: $input) { id } }`);
export const UPDATE_USER = graphql(`mutation UpdateUser($id: Int!, $input: UpdateUserInput!) {
  updateUser(id: $id, input: $input) { id login fullName email blobId customData }
}`);

export const DIALOGS = graphql(`query Dialogs($filter: DialogFilter, $first: Int, $after: String) {
  dialogs(filter: $filter, first: $first, after: $after) {
    edges { node {
      id type name photo userId occupantIds adminIds lastMessage lastMessageId lastMessageUserId lastMessageDateSent
      unreadMessagesCount
    } }
    pageInfo { hasNextPage endCursor }
  }
}`);
export const DIALOG = graphql(`query Dialog($id: ID!) { dialog(id: $id) {
  id type name photo userId occupantIds adminIds lastMessage lastMessageId lastMessageUserId lastMessageDateSent
  unreadMessagesCount
} }`);
export const UNREAD = graphql(`query Unread { unreadCounts { total } }`);
export const CREATE_DIALOG = graphql(`mutation CreateDialog($input: CreateDialogInput!) { createDialog(input: $input) {
  id type name photo userId occupantIds adminIds lastMessage lastMessageId lastMessageUserId lastMessageDateSent
  unreadMessagesCount
} }`);
export const UPDATE_DIALOG = graphql(`mutation UpdateDialog($id: ID!, $input: UpdateDialogInput!) {
  updateDialog(id: $id, input: $input) {
    id type name photo userId occupantIds adminIds lastMessage lastMessageId lastMessageUserId lastMessageDateSent
    unreadMessagesCount
  }
}`);
export const MUTED = graphql(`query Muted($dialogId: ID!) { dialogNotifications(dialogId: $dialogId) { enabled } }`);
export const MUTE = graphql(`mutation Mute($dialogId: ID!, $enabled: Boolean!) {
  updateDialogNotifications(dialogId: $dialogId, enabled: $enabled) { enabled }
}`);
export const DELETE_DIALOG = graphql(`mutation DeleteDialog($id: ID!) { deleteDialog(id: $id) }`);

export const MESSAGES = graphql(`query Messages(
  $dialogId: ID!, $filter: MessageFilter, $first: Int, $last: Int, $after: String, $before: String
) {
  messages(dialogId: $dialogId, filter: $filter, first: $first, last: $last, after: $after, before: $before) {
    edges { node {
      id dialogId senderId text attachments customFields createdAt updatedAt readIds deliveredIds
      reactions { name count own }
    } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`);
export const SEND = graphql(`mutation Send($input: SendMessageInput!) { sendMessage(input: $input) {
  id dialogId senderId text attachments customFields createdAt updatedAt readIds deliveredIds reactions { name count own }
} }`);
export const EDIT = graphql(`mutation Edit($ids: [ID!]!, $input: UpdateMessagesInput!) {
  updateMessages(ids: $ids, input: $input) { id text updatedAt }
}`);
export const DELETE = graphql(`mutation Delete($ids: [ID!]!, $force: Boolean!) {
  deleteMessages(ids: $ids, force: $force) { deletedIds }
}`);
export const REACT = graphql(`mutation React($messageId: ID!, $add: String, $remove: String) {
  changeReactions(messageId: $messageId, add: $add, remove: $remove) { id reactions { name count own } }
}`);
export const MARK = graphql(`mutation Mark($dialogId: ID!, $read: Boolean) {
  markDialogMessages(dialogId: $dialogId, read: $read)
}`);
export const TYPE = graphql(`mutation StartTyping($dialogId: ID!) { startTyping(dialogId: $dialogId) }`);
export const STOP_TYPING = graphql(`mutation StopTyping($dialogId: ID!) { stopTyping(dialogId: $dialogId) }`);

export const EVENTS = graphql(`subscription Events($since: String) { dialogEvents(since: $since) {
  __typename cursor dialogId
  ... on MessageSent { message {
    id dialogId senderId text attachments customFields createdAt updatedAt readIds deliveredIds
  } }
  ... on MessageEdited { message { id text updatedAt } }
  ... on MessagesDeleted { deletedIds }
  ... on MessagesMarked { messageIds userId read delivered }
  ... on ReactionAdded { messageId }
  ... on ReactionRemoved { messageId }
} }`);
export const TYPING = graphql(`subscription Typing($dialogId: ID!) {
  typing(dialogId: $dialogId, includeStops: true) { userId isTyping }
}`);
export const PRESENCE = graphql(`subscription Presence($userIds: [Int!]!) {
  presence(userIds: $userIds) { userId online }
}`);

export type DialogEvent = ResultOf<typeof EVENTS>['dialogEvents'];

type MessageNode = Omit<ResultOf<typeof MESSAGES>['messages']['edges'][number]['node'], 'reactions'> & {
  reactions?: SentMessage['reactions'];
};

export function messageOf({ attachments, customFields, createdAt, updatedAt, ...message }: MessageNode): SentMessage {
  return {
    reactions: [],
    ...message,
    attachments: attachmentsOf(attachments),
    customFields: membersOf(customFields),
    createdAt,
    isEdited: updatedAt > createdAt,
  };
}

export function dialogOf(node: ResultOf<typeof DIALOG>['dialog'], userId: number | null | undefined): Dialog {
  const { id, type, photo, occupantIds, adminIds, lastMessageDateSent } = node;
  return {
    id,
    type,
    name: node.name ?? '',
    photo,
    ownerId: node.userId,
    occupantIds,
    adminIds,
    peerId: type === 'PRIVATE' ? (occupantIds.find((one) => one !== userId) ?? null) : null,
    lastMessage:
      lastMessageDateSent === null
        ? null
        : {
            id: node.lastMessageId,
            text: node.lastMessage ?? '',
            senderId: node.lastMessageUserId,
            sentAt: new Date(lastMessageDateSent * 1_000).toISOString(),
          },
    unreadCount: node.unreadMessagesCount,
  };
}

export function userOf(node: ResultOf<typeof ME>['me']): User {
  return { ...node, name: node.fullName?.trim() || node.login || `#${node.id}` };
}
