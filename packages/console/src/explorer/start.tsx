import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Explorer } from './explorer.tsx';
import './explorer.css';

createRoot(document.getElementById('explorer')!).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <Explorer />
    </I18nProvider>
  </StrictMode>,
);
