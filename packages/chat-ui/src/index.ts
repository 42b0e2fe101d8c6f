export { Attachments } from './attachments.tsx';
export { Avatar, DialogAvatar, UserAvatar } from './avatar.tsx';
export { Composer, type ComposerProps } from './composer.tsx';
export { Contacts, type ContactsProps } from './contacts.tsx';
export { DialogList, type DialogListProps } from './dialog-list.tsx';
export { DialogProfile, type DialogProfileProps } from './dialog-profile.tsx';
export { EmptyState } from './empty-state.tsx';
export { Gallery, type GalleryProps } from './gallery.tsx';
export { type ImageOrigins, ImageOriginsProvider } from './image-origins.ts';
export { ENGLISH, type Labels, LabelsProvider } from './labels.ts';
export { MessageItem, type MessageItemProps } from './message-item.tsx';
export { MessageView, type MessageViewProps, ReadMark, type ShownMessage } from './message-view.tsx';
export { ProviderSignIn, type ProviderSignInProps } from './provider-sign-in.tsx';
export {
  AddPasskey,
  type AddPasskeyProps,
  PasskeySignIn,
  SecondFactor,
  type SecondFactorProps,
} from './second-factor.tsx';
export { CodeSignIn, GuestSignIn, PasswordSignIn } from './sign-in.tsx';
export { Thread, type ThreadProps } from './thread.tsx';
export { Typing } from './typing.tsx';
export { VerifyEmail } from './verify-email.tsx';
