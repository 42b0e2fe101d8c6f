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

export const theme = createTheme({
  colors: { brand },
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, monospace',
  cursorType: 'pointer',
  components: {
    NavLink: { styles: { root: { borderRadius: 'var(--mantine-radius-md)' } } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': t`Show or hide the password` } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': t`Dismiss` } } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': t`Close` }, transitionProps: { duration: 0 } } },
  },
});

/** The dimmed colors of the library have too little contrast (WCAG AA). */
export const themeVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#555b66',
    '--mantine-color-placeholder': '#666c78',
    '--mantine-color-error': '#c21f1f',
    '--mantine-color-red-text': '#c21f1f',
    '--mantine-color-anchor': '#1f5fbf',
  },
  dark: {
    '--mantine-color-error': '#ff9a9a',
    '--mantine-color-red-text': '#ff9a9a',
    '--mantine-color-dimmed': '#b4b9c2',
    '--mantine-color-placeholder': '#a5abb6',
    '--mantine-color-anchor': '#8ab4f8',
    '--mantine-color-brand-light-color': '#b0cbef',
  },
});
