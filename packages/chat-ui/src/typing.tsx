import { useUser } from '@atrium/react';
import { useLabels } from './labels.ts';

/** The first two names of users; `…` until they are loaded. */
export function useNames(userIds: readonly number[]): string[] {
  const first = useUser(userIds[0] ?? 0);
  const second = useUser(userIds[1] ?? 0);
  return [first, second].slice(0, userIds.length).map((user) => user?.name ?? '…');
}

export const TypingDots = () => (
  <span className="atrium-typing-dots" aria-hidden="true">
    <i />
    <i />
    <i />
  </span>
);

/** Who is typing. */
export function Typing({ userIds }: { userIds: readonly number[] }) {
  const labels = useLabels();
  const names = useNames(userIds);
  const text = userIds.length > 2 ? labels.typing(['', '', '']) : names.length > 0 ? labels.typing(names) : '';
  return (
    <div className="atrium-typing" role="status">
      {text && (
        <>
          <TypingDots />
          {text}
        </>
      )}
    </div>
  );
}
