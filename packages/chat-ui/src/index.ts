export { Attachments } from './attachments.tsx';
export { Avatar } from './avatar.tsx';
export { Composer, type ComposerProps } from './composer.tsx';
export { DialogList, type DialogListProps } from './dialog-list.tsx';
export { type ImageOrigins, ImageOriginsProvider } from './image-origins.ts';
export { ENGLISH, type Labels, LabelsProvider } from './labels.ts';
export { MessageItem, type MessageItemProps, ReadMark } from './message-item.tsx';
export { Thread, type ThreadProps, Typing } from './thread.tsx';
