import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Burger, Button, Group, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconBook2,
  IconHelpCircle,
  IconLayoutSidebar,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
  IconSunMoon,
  IconUserShield,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { root } from '../root.ts';
import { Avatar } from '../ui/avatar.tsx';
import { useMe } from './administrator.ts';
import { Logo } from './logo.tsx';
import { useSignOut } from './sign-out.ts';

interface HeaderProps {
  isDrawerOpen: boolean;
  toggleDrawer: () => void;
  isNarrow: boolean;
  toggleNarrow: () => void;
  openPalette: () => void;
}

export function Header({ isDrawerOpen, toggleDrawer, isNarrow, toggleNarrow, openPalette }: HeaderProps) {
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap">
        <Burger opened={isDrawerOpen} onClick={toggleDrawer} hiddenFrom="sm" size="sm" aria-label={t`Navigation`} />
        <UnstyledButton component={Link} to="/" aria-label={t`Atrium: start page`}>
          <Logo isShort />
        </UnstyledButton>
        <IconButton
          label={isNarrow ? t`Show names in the navigation` : t`Show only icons in the navigation`}
          onClick={toggleNarrow}
          visibleFrom="sm"
        >
          <IconLayoutSidebar size={18} stroke={1.6} />
        </IconButton>
      </Group>
      <Group gap={6} wrap="nowrap">
        <Button
          className="palette-button"
          variant="default"
          size="xs"
          onClick={openPalette}
          leftSection={<IconSearch size={16} stroke={1.6} />}
          rightSection={<span className="not-on-phones">Ctrl K</span>}
          aria-keyshortcuts="Control+K Meta+K"
        >
          <Trans>Search</Trans>
        </Button>
        <HelpMenu />
        <SchemeMenu />
        <PersonMenu />
      </Group>
    </Group>
  );
}

function IconButton({ label, ...props }: { label: string } & React.ComponentProps<typeof ActionIcon<'button'>>) {
  return <ActionIcon variant="subtle" color="gray" size="md" aria-label={label} title={label} {...props} />;
}

function HelpMenu() {
  const pages = [
    ['guides', t`Guides`],
    ['docs', t`REST reference`],
    ['graphql', t`GraphQL explorer`],
  ] as const;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <IconButton label={t`Documentation`}>
          <IconHelpCircle size={18} stroke={1.6} />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown>
        {pages.map(([path, name]) => (
          <Menu.Item key={path} component="a" href={new URL(path, root).href} leftSection={<IconBook2 size={16} />}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = [
    ['auto', t`Like the system`, IconSunMoon],
    ['light', t`Light`, IconSun],
    ['dark', t`Dark`, IconMoon],
  ] as const;
  const Current = schemes.find(([scheme]) => scheme === colorScheme)![2];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <IconButton label={t`Color scheme`}>
          <Current size={18} stroke={1.6} />
        </IconButton>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(([scheme, name, Icon]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            leftSection={<Icon size={16} />}
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
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="account" aria-label={name} title={name}>
          <Avatar name={name} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {name}
          <br />
          {email}
        </Menu.Label>
        <Menu.Item component={Link} to="/profile" leftSection={<IconUserShield size={16} />}>
          <Trans>Profile and security</Trans>
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()} leftSection={<IconLogout size={16} />}>{t`Sign out`}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
