import { t } from '@lingui/core/macro';
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const brand: MantineColorsTuple = [
  '#eef4fc',
  '#d9e6f7',
  '#b0cbef',
  '#84aee7',
  '#6096e0',
  '#4987dc',
  '#2f6fc9',
  '#1f5fbf',
  '#194f9f',
  '#103d80',
];

/** Grays of the dark scheme, in the tone of `--ground` and `--card`. */
const dark: MantineColorsTuple = [
  '#d5dae1',
  '#b7bec8',
  '#98a1ad',
  '#6b7482',
  '#39414d',
  '#2a303a',
  '#1c2129',
  '#161a20',
  '#0f1216',
  '#0a0c0f',
];

export const theme = createTheme({
  colors: { brand, dark },
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'sm',
  radius: { sm: 'var(--radius-small)', md: 'var(--radius)' },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-code)',
  fontSizes: { sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '650',
    sizes: { h2: { fontSize: '1.375rem' }, h3: { fontSize: '1.125rem' }, h4: { fontSize: '0.9375rem' } },
  },
  cursorType: 'pointer',
  components: {
    Card: { defaultProps: { radius: 'md' } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': t`Show or hide the password` } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': t`Dismiss` } } },
    Checkbox: { defaultProps: { radius: 4 } },
    // The page stays readable.
    Drawer: {
      defaultProps: { closeButtonProps: { 'aria-label': t`Close` }, overlayProps: { backgroundOpacity: 0.25 } },
    },
    // The placeholder is a child that menus may not have; without it, the first item has the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': t`Close` }, transitionProps: { duration: 0 } } },
  },
});

/** Colors of the library that tokens replace; they have more contrast (WCAG AA). */
const tokens = {
  '--mantine-color-body': 'var(--card)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-red-text': 'var(--bad)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default': 'var(--card)',
  '--mantine-color-red-light': 'color-mix(in srgb, var(--bad) 10%, var(--card))',
  '--mantine-color-yellow-light': 'color-mix(in srgb, var(--warn) 12%, var(--card))',
  '--mantine-color-brand-light': 'var(--selected)',
  '--mantine-color-brand-light-hover': 'var(--hover)',
  '--mantine-color-brand-light-color': 'var(--accent)',
};

export const themeVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: tokens,
  dark: tokens,
});
