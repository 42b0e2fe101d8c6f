import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Atomic. @returns `text`, or the text that another process wrote first */
export function claimFile(path: string, text: string): string {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
  try {
    // Unlike a rename, a link never replaces an existing file.
    linkSync(draft, path);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readFileSync(path, 'utf8');
  } finally {
    rmSync(draft);
  }
}
