import './audit.ts';
import './jobs.ts';
import './request-log.ts';
import './administrators.ts';
import './administrator-sign-in.ts';
import './passkeys.ts';
import './figures.ts';
