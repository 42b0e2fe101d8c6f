import { createContext, useContext } from 'react';

/** Texts of the components in English. */
export const ENGLISH = {
  dialogs: 'Conversations',
  noDialogs: 'No conversations yet',
  noMessages: 'No messages yet. Say hello!',
  messages: 'Messages',
  message: 'Message',
  writeMessage: 'Write a message',
  send: 'Send',
  save: 'Save',
  cancel: 'Cancel',
  attach: 'Attach files',
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
  pending: 'Sending',
  sent: 'Sent',
  read: 'Read',
  readBy: (count: number) => `Read by ${count}`,
  failed: 'Not sent',
  latest: 'Jump to the latest message',
  loading: 'Loading',
  uploading: (percent: number) => `Uploading, ${percent} %`,
  uploadFailed: 'Upload failed',
  today: 'Today',
  yesterday: 'Yesterday',
  editing: 'Editing a message',
  newMessage: (name: string, text: string) => `${name}: ${text}`,
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
