export {
  type DialogActions,
  type UsedDialog,
  type UsedDialogs,
  type UsedMute,
  type UsedRecords,
  type UsedSession,
  useConnection,
  useDialog,
  useDialogs,
  useFileAddress,
  useMuted,
  useOutbox,
  usePresence,
  useRecords,
  useSession,
  useTyping,
  useUnread,
  useUser,
} from './hooks.ts';
export { useLive, useSuspenseLive } from './live.ts';
export { type UsedBlocks, type UsedContacts, useBlocks, useContacts } from './people.ts';
export { AtriumProvider, useAtrium } from './provider.tsx';
export { type FoundDialogs, type FoundUsers, useDialogSearch, useUserSearch } from './search.ts';
