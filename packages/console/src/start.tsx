import './tokens.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/library.css';
import './app/app.css';
import './app/lists.css';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { AccessDialogs } from './app/access-dialogs.tsx';
import { queryClient } from './app/query-client.ts';
import { router } from './app/router.tsx';
import { theme, themeVariables } from './app/theme.ts';

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={theme} cssVariablesResolver={themeVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
          <AccessDialogs />
        </QueryClientProvider>
      </MantineProvider>
    </I18nProvider>
  </StrictMode>,
);
