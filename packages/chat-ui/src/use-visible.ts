import { useCallback, useEffect, useRef } from 'react';

/** Calls `onVisible` when the element with this ref becomes visible. */
export function useVisible(onVisible: (() => void) | undefined) {
  const latest = useRef(onVisible);
  useEffect(() => {
    latest.current = onVisible;
  });
  return useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) latest.current?.();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
