import { useEffect, useState } from 'react';

export type Theme = 'light' | 'dark' | 'system';

const stored = localStorage.getItem('theme');
if (stored && stored !== 'system') document.documentElement.dataset.theme = stored;

export function useTheme() {
  const [theme, setTheme] = useState<Theme>(() => (localStorage.getItem('theme') as Theme | null) ?? 'system');
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    localStorage.setItem('theme', theme);
  }, [theme]);
  return [theme, setTheme] as const;
}
