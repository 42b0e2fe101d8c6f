import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Button,
  Divider,
  Group,
  Menu,
  NavLink,
  Select,
  Stack,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { root } from '../root.ts';
import { undoLatest } from '../ui/undo.tsx';
import { applicationsQuery, hasRole, ownsAll, useMe } from './administrator.ts';
import { clientOf, SERVICE } from './clients.ts';
import { CommandPalette } from './command-palette.tsx';
import { Logo } from './logo.tsx';
import { SECTIONS } from './navigation.ts';

const SIGN_OUT = graphql(`mutation ConsoleSignOut { signOutAdministrator }`);

/** Header, navigation and the page. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isPaletteOpen, palette] = useDisclosure();
  const { pathname } = useLocation();
  useHotkeys([['mod+K', palette.open]], []);
  useHotkeys([['mod+Z', undoLatest]]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the drawer after each navigation
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="skip-link" href="#page">
        <Trans>Skip to the page</Trans>
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t`Navigation`} />
            <UnstyledButton component={Link} to="/" aria-label={t`Atrium: start page`}>
              <Logo isShort />
            </UnstyledButton>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" size="xs" onClick={palette.open} aria-keyshortcuts="Control+K Meta+K">
              <Trans>
                Go to…
                <Text span size="xs" c="dimmed" ml="xs" visibleFrom="sm">
                  Ctrl K
                </Text>
              </Trans>
            </Button>
            <SchemeMenu />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t`Console`}>
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="page">
        <Box maw={1200} mx="auto">
          <Outlet />
        </Box>
      </AppShell.Main>
      <CommandPalette isOpen={isPaletteOpen} onClose={palette.close} />
    </AppShell>
  );
}

function Navigation() {
  const me = useMe();
  const navigate = useNavigate();
  const { data: applications = [] } = useQuery(applicationsQuery);
  const { application: current } = useParams({ strict: false });
  const { pathname } = useLocation();
  const chosen = current ?? (applications.length === 1 ? applications[0]!.id : undefined);
  const open = (id: string | null) =>
    id !== null && navigate({ to: '/apps/$application/overview', params: { application: Number(id) } });
  return (
    <Stack gap="xs" h="100%">
      <Select
        label={t`Application`}
        placeholder={t`Select an application`}
        data={applications.map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }))}
        value={chosen === undefined ? null : String(chosen)}
        onChange={open}
        allowDeselect={false}
        searchable={applications.length > 8}
        comboboxProps={{ withinPortal: true }}
      />
      <Box flex={1} mt="xs">
        {chosen !== undefined &&
          SECTIONS.filter(({ roles }) => hasRole(me, roles, chosen)).map(({ path, name }) => {
            const address = `/apps/${chosen}/${path}`;
            return (
              <NavLink
                key={path}
                component={Link}
                to={address}
                label={name}
                active={pathname === address || pathname.startsWith(`${address}/`)}
              />
            );
          })}
      </Box>
      <Divider />
      <Box>
        {me.roles.some(({ role }) => role === 'OWNER') && (
          <NavLink
            component={Link}
            to="/administrators"
            label={t`Administrators`}
            active={pathname === '/administrators'}
          />
        )}
        {ownsAll(me) && <NavLink component={Link} to="/logs" label={t`Service logs`} active={pathname === '/logs'} />}
        <NavLink href={new URL('docs', root).href} label={t`REST reference`} />
        <NavLink href={new URL('graphql', root).href} label={t`GraphQL explorer`} />
        <NavLink href={new URL('guides', root).href} label={t`Guides`} />
      </Box>
    </Stack>
  );
}

function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = { auto: t`Like the system`, light: t`Light`, dark: t`Dark` } as const;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="md" aria-label={t`Color scheme`}>
          ◐
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(schemes).map(([scheme, name]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme as keyof typeof schemes)}
            aria-current={scheme === colorScheme}
            fw={scheme === colorScheme ? 600 : undefined}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function PersonMenu() {
  const { name, email } = useMe();
  const queries = useQueryClient();
  const signOut = async () => {
    await clientOf(SERVICE).mutate(SIGN_OUT, {});
    queries.clear();
    location.assign(new URL('console/sign-in', root));
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" maw={{ base: 96, sm: 160 }}>
          <Text span size="xs" truncate>
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{email}</Menu.Label>
        <Menu.Item component={Link} to="/profile">
          <Trans>Profile and security</Trans>
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
