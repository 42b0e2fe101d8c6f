import { t } from '@lingui/core/macro';
import { Box } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Message } from './messages.ts';

/** Number of messages above the visible ones below which earlier messages are loaded. */
const AHEAD = 15;
const MESSAGE_HEIGHT = 48;
/** Distance from the end of the page within which a reader counts as being at the end. */
const NEAR_END_PX = 200;

interface MessageListProps {
  /** Oldest first. */
  rows: Message[];
  /** Undefined while earlier messages are being loaded, and if there are none. */
  loadEarlier: (() => void) | undefined;
  render: (message: Message, previous: Message | undefined, next: Message | undefined) => ReactNode;
}

/** Renders only the visible messages, begins at the newest, and keeps its place while messages are added. */
export function MessageList({ rows, loadEarlier, render }: MessageListProps) {
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState<number>();
  const [hasBegun, setBegun] = useState(false);
  useLayoutEffect(() => setTop(list.current!.offsetTop), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    getItemKey: (index) => rows[index]!.id,
    estimateSize: () => MESSAGE_HEIGHT,
    overscan: 8,
    scrollMargin: top ?? 0,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: NEAR_END_PX,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the place of the list is known
  useEffect(() => {
    if (top === undefined) return;
    virtual.scrollToIndex(rows.length - 1, { align: 'end' });
    const frame = requestAnimationFrame(() => setBegun(true));
    return () => cancelAnimationFrame(frame);
  }, [top]);
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? rows.length;
  useEffect(() => {
    if (hasBegun && first < AHEAD) loadEarlier?.();
  }, [hasBegun, first, loadEarlier]);
  return (
    <Box
      component="ol"
      ref={list}
      p={0}
      pos="relative"
      h={virtual.getTotalSize()}
      style={{ listStyle: 'none' }}
      aria-label={t`Messages`}
    >
      {items.map(({ index, key, start }) => (
        <Box
          component="li"
          key={key}
          className="atrium-item"
          // A tap shows the button of the message.
          tabIndex={-1}
          ref={virtual.measureElement}
          data-index={index}
          pos="absolute"
          inset="0 0 auto"
          style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
        >
          {render(rows[index]!, rows[index - 1], rows[index + 1])}
        </Box>
      ))}
    </Box>
  );
}
