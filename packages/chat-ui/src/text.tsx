import { useAtrium } from '@atrium/react';
import { useCallback } from 'react';
import { LinkedText } from './linked-text.tsx';

/** A text with links, as far as the client allows their addresses. */
export function Text({ text }: { text: string }) {
  const { files } = useAtrium();
  const linkOf = useCallback((url: string) => files.link({ url })?.url, [files]);
  return <LinkedText text={text} linkOf={linkOf} />;
}
