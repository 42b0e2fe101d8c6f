import { AtriumProvider } from '@atrium/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@atrium/chat-ui/styles.css';
import './app.css';
import { App } from './app.tsx';
import { atrium } from './atrium.ts';
import './theme.ts';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <AtriumProvider atrium={atrium}>
      <App />
    </AtriumProvider>
  </StrictMode>,
);

if ('serviceWorker' in navigator && import.meta.env.PROD) void navigator.serviceWorker.register('/worker.js');
