import { activateLanguage } from './language.ts';

void activateLanguage().then(() => import('./start.tsx'));
