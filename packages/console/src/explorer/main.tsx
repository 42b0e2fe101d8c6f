import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Explorer } from './explorer.tsx';
import 'graphiql/style.css';
import './explorer.css';

createRoot(document.getElementById('explorer')!).render(
  <StrictMode>
    <Explorer />
  </StrictMode>,
);
