import { activateLanguage } from './language.ts';

await activateLanguage();
await import('./start.tsx');
