import '@mantine/core/styles.css';
import '../app/library.css';
import './page.css';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { theme, themeVariables } from '../app/theme.ts';
import { Explorer } from './explorer.tsx';

createRoot(document.getElementById('explorer')!).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={theme} cssVariablesResolver={themeVariables} defaultColorScheme="auto">
        <Explorer />
      </MantineProvider>
    </I18nProvider>
  </StrictMode>,
);
