import type { ReactNode } from 'react';
import { ChatIcon } from './icons.tsx';

/** What an empty list will contain, and how. */
export function EmptyState({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="atrium-empty-state">
      <ChatIcon />
      <p>{title}</p>
      {hint && <p className="atrium-hint">{hint}</p>}
      {children}
    </div>
  );
}
