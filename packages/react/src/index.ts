export {
  type DialogActions,
  type UsedDialog,
  type UsedDialogs,
  type UsedRecords,
  type UsedSession,
  useConnection,
  useDialog,
  useDialogs,
  useFileAddress,
  useOutbox,
  usePresence,
  useRecords,
  useSession,
  useUnread,
  useUser,
} from './hooks.ts';
export { useLive, useSuspenseLive } from './live.ts';
export { AtriumProvider, useAtrium } from './provider.tsx';
