import { createContext, useContext } from 'react';

/** Texts of the components in English. */
export const ENGLISH = {
  /** Language of dates and numbers. Without a region, they have the form of the region of the browser. */
  locale: 'en',
  dialogs: 'Conversations',
  noDialogs: 'No conversations yet',
  noDialogsHint: 'People and groups that you write to appear here, the latest first.',
  noDialogFound: 'No conversation has this name',
  people: 'People',
  noMessages: 'No messages yet',
  noMessagesHint: 'Enter sends, Shift and Enter starts a line. Write :smile for an emoji, and drop or paste files.',
  messages: 'Messages',
  message: 'Message',
  writeMessage: 'Write a message',
  send: 'Send',
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  attach: 'Attach files',
  dropFiles: 'Drop files to attach them',
  emoji: 'Emoji',
  remove: (name: string) => `Remove ${name}`,
  retry: 'Retry',
  discard: 'Discard',
  edit: 'Edit',
  delete: 'Delete',
  confirmDelete: 'Delete for everyone?',
  react: 'Add a reaction',
  edited: 'edited',
  you: 'You',
  attachment: 'Attachment',
  loadImage: (host: string) => `Load the image from ${host}`,
  pictures: 'Pictures',
  previousPicture: 'Previous picture',
  nextPicture: 'Next picture',
  openOriginal: 'Open the original',
  pictureOf: (position: number, count: number) => `${position} of ${count}`,
  messageFailed: 'This message cannot be shown',
  dialogFailed: 'This conversation cannot be shown',
  unread: (count: number) => `${count} unread`,
  online: 'online',
  typing: (names: string[]) =>
    names.length === 1
      ? `${names[0]} is typing`
      : names.length === 2
        ? `${names.join(' and ')} are typing`
        : 'Several people are typing',
  /** In the list of dialogs; without a name in private dialogs. */
  typingNow: (name?: string) => (name ? `${name}: typing …` : 'typing …'),
  pending: 'Sending',
  sent: 'Sent',
  read: 'Read',
  readBy: (count: number) => `Read by ${count}`,
  failed: 'Not sent',
  latest: 'Jump to the latest message',
  firstUnread: 'Jump to the first unread message',
  newMessages: (count: number) => (count === 1 ? '1 new message' : `${count} new messages`),
  new: 'New',
  loading: 'Loading',
  uploading: (percent: number) => `Uploading, ${percent} %`,
  uploadFailed: 'Upload failed',
  today: 'Today',
  yesterday: 'Yesterday',
  editing: 'Editing a message',
  newMessage: (name: string, text: string) => `${name}: ${text}`,
  profile: 'Details',
  groupName: 'Name of the group',
  rename: 'Rename the group',
  changePicture: 'Change the picture',
  removePicture: 'Remove the picture',
  contacts: 'Contacts',
  contactRequests: 'Contact requests',
  noContacts: 'No contacts yet',
  requested: 'Asked, no answer yet',
  accept: 'Accept',
  decline: 'Decline',
  removeContact: 'Remove',
  block: 'Block',
  unblock: 'Unblock',
  blockHint: 'Neither of you can write to the other in private.',
  mute: 'Mute notifications',
  muteHint: 'No pushes for new messages of this conversation',
  members: (count: number) => (count === 1 ? '1 member' : `${count} members`),
  showAll: (count: number) => `Show all ${count}`,
  owner: 'Owner',
  admin: 'Admin',
  manage: (name: string) => `Manage ${name}`,
  makeAdmin: 'Make admin',
  removeAdmin: 'Remove as admin',
  removeMember: 'Remove from the group',
  leave: 'Leave the group',
  confirmLeave: 'Leave this group?',
  hide: 'Hide the conversation',
  confirmHide: 'Hide it until the next message?',
  login: 'Login',
  password: 'Password',
  signIn: 'Sign in',
  signInWrong: 'Login or password is wrong.',
  guest: 'Continue as a guest',
  email: 'Email address',
  sendCode: 'Send a code',
  code: 'Code of six digits',
  codeSent: (email: string) => `If ${email} has an account, a mail with a code is on its way.`,
  codeWrong: 'The code is wrong or has expired.',
  resend: 'Send a new code',
  resendIn: (seconds: number) => `Send a new code in ${seconds} s`,
  secondFactor: 'Enter a code of your authenticator app, or a recovery code.',
  factorCode: 'Code',
  passkey: 'Use a passkey',
  passkeyFailed: 'The passkey was not accepted.',
  addPasskey: 'Add a passkey',
  offerPasskey: 'Sign in next time with your fingerprint, face or screen lock.',
  passkeyAdded: 'The passkey is ready for your next sign-in.',
  passkeyNotAdded: 'The passkey could not be added.',
  signInAgain: 'Your sign-in is too old for this. Sign out and in again.',
  providerFailed: 'The sign-in was not completed. Try again.',
  back: 'Back',
  otherEmail: 'Use another address',
  verifyEmail: 'Your email address is not verified.',
  verify: 'Verify it',
  verifySent: 'A mail with a code is on its way.',
  verified: 'Your email address is verified.',
  serviceUnreachable: 'The service cannot be reached. Check your connection.',
  reactions: { like: 'Like', love: 'Love', laugh: 'Laugh', wow: 'Wow', sad: 'Sad', thanks: 'Thanks' } as Record<
    string,
    string
  >,
};

export type Labels = typeof ENGLISH;

const Context = createContext<Labels>(ENGLISH);

/** Replaces texts, for example by those of another language. */
export const LabelsProvider = Context.Provider;

/** Users can react with any name, `constructor` included. */
export function reactionLabel({ reactions }: Labels, name: string): string {
  return Object.hasOwn(reactions, name) ? reactions[name]! : name;
}

export function useLabels(): Labels {
  return useContext(Context);
}
