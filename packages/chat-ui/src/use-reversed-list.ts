import { type RefObject, useCallback, useEffect, useLayoutEffect, useReducer, useRef } from 'react';

/** Pixels beyond the visible part that are rendered, too. */
const OVERSCAN = 600;
const AT_END = 40;

export interface ReversedList {
  /** Height of all items. */
  height: number;
  /** Indices of rendered items with their distance from the end of the list. */
  items: { index: number; bottom: number }[];
  /** Measures an item. */
  measure: (key: string) => (element: HTMLElement | null) => (() => void) | undefined;
  isAtEnd: boolean;
  scrollToEnd: () => void;
  scrollToKey: (key: string) => void;
}

/**
 * Renders only the visible items of a list whose end is the anchor. The scroll container has `flex-direction:
 * column-reverse`, so that its position counts from the end and items that are added at the start move nothing.
 */
export function useReversedList(
  scroller: RefObject<HTMLElement | null>,
  keys: readonly string[],
  estimate: number,
  onStart: () => void,
  onEnd: () => void,
): ReversedList {
  const heights = useRef(new Map<string, number>());
  const [, render] = useReducer((count: number) => count + 1, 0);
  const view = useRef({ offset: 0, size: 800 });
  const isAtEnd = useRef(true);
  const heightOf = (key: string) => heights.current.get(key) ?? estimate;

  // From the end: the distance of each item.
  const bottoms = new Float64Array(keys.length + 1);
  for (let index = keys.length - 1; index >= 0; index--) {
    bottoms[index] = bottoms[index + 1]! + heightOf(keys[index]!);
  }
  const height = bottoms[0] ?? 0;
  const latest = useRef({ keys, bottoms, onStart, onEnd });

  // Items that were added or removed at the end must not move what is being read.
  useLayoutEffect(() => {
    const before = latest.current;
    latest.current = { keys, bottoms, onStart, onEnd };
    const element = scroller.current;
    if (!element || before.keys === keys) return;
    if (isAtEnd.current) {
      element.scrollTop = 0;
      return;
    }
    const indices = new Map(keys.map((key, index) => [key, index]));
    for (let old = before.keys.length - 1; old >= 0; old--) {
      const index = indices.get(before.keys[old]!);
      if (index === undefined || before.bottoms[old]! <= view.current.offset) continue;
      const moved = bottoms[index + 1]! - before.bottoms[old + 1]!;
      if (moved !== 0) element.scrollTop -= moved;
      return;
    }
  });

  const look = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const offset = Math.max(0, -element.scrollTop);
    const wasAtEnd = isAtEnd.current;
    isAtEnd.current = offset < AT_END;
    const { bottoms, onStart, onEnd } = latest.current;
    const isNew = Math.abs(view.current.offset - offset) > OVERSCAN / 3 || view.current.size !== element.clientHeight;
    if (isNew || wasAtEnd !== isAtEnd.current) {
      view.current = { offset, size: element.clientHeight };
      render();
    }
    if (bottoms[0]! - offset - element.clientHeight < OVERSCAN) onStart();
    if (isAtEnd.current) onEnd();
  }, [scroller]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller, look]);

  // After each change, because a short list does not scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys are the change
  useEffect(look, [keys, look]);

  const measure = useCallback(
    (key: string) => (element: HTMLElement | null) => {
      if (!element) return undefined;
      const update = () => {
        const size = element.getBoundingClientRect().height;
        const before = heights.current.get(key);
        if (size === 0 || (before !== undefined && Math.abs(before - size) < 0.5)) return;
        heights.current.set(key, size);
        const { keys, bottoms } = latest.current;
        const index = keys.indexOf(key);
        const scrolled = scroller.current;
        // An item below the visible part grew or shrank.
        if (scrolled && index >= 0 && !isAtEnd.current && bottoms[index]! <= view.current.offset) {
          scrolled.scrollTop -= size - (before ?? estimate);
        }
        render();
      };
      update();
      const observer = new ResizeObserver(update);
      observer.observe(element);
      return () => observer.disconnect();
    },
    [scroller, estimate],
  );

  const { offset, size } = view.current;
  const items: ReversedList['items'] = [];
  for (let index = keys.length - 1; index >= 0; index--) {
    const bottom = bottoms[index + 1]!;
    if (bottom > offset + size + OVERSCAN) break;
    if (bottoms[index]! >= offset - OVERSCAN) items.push({ index, bottom });
  }
  items.reverse();

  return {
    height,
    items,
    measure,
    isAtEnd: isAtEnd.current,
    scrollToEnd: () => scroller.current?.scrollTo({ top: 0 }),
    scrollToKey: (key) => {
      const index = latest.current.keys.indexOf(key);
      const element = scroller.current;
      // The item begins in the upper quarter.
      const top = (latest.current.bottoms[index] ?? 0) - (element?.clientHeight ?? 0) * 0.75;
      if (index >= 0) element?.scrollTo({ top: -Math.max(0, top) });
    },
  };
}
