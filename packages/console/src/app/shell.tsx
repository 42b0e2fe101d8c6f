import { t } from '@lingui/core/macro';
import { AppShell } from '@mantine/core';
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { undoLatest } from '../ui/undo.tsx';
import { Header } from './header.tsx';
import { Palette } from './palette/palette.tsx';
import { Sidebar } from './sidebar.tsx';

/** Header, navigation and the page. */
export function Shell() {
  const [isDrawerOpen, { toggle, close }] = useDisclosure();
  const [isPaletteOpen, palette] = useDisclosure();
  const [isNarrow, setNarrow] = useLocalStorage({
    key: 'atrium.console.narrow-navigation',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { pathname } = useLocation();
  useHotkeys([['mod+K', palette.open]], []);
  useHotkeys([['mod+Z', undoLatest]]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the drawer after each navigation
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: isNarrow ? 56 : 232, breakpoint: 'sm', collapsed: { mobile: !isDrawerOpen } }}
      padding={{ base: 'md', md: 'xl' }}
      transitionDuration={0}
    >
      <a className="skip-link" href="#page">{t`Skip to the page`}</a>
      <AppShell.Header>
        <Header
          isDrawerOpen={isDrawerOpen}
          toggleDrawer={toggle}
          isNarrow={isNarrow}
          toggleNarrow={() => setNarrow(!isNarrow)}
          openPalette={palette.open}
        />
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t`Console`}>
        <Sidebar isNarrow={isNarrow} />
      </AppShell.Navbar>
      <AppShell.Main id="page">
        <div className="page">
          <Outlet />
        </div>
      </AppShell.Main>
      <Palette isOpen={isPaletteOpen} onClose={palette.close} />
    </AppShell>
  );
}
