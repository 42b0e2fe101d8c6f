import { readFileSync } from 'node:fs';

/** A line of the sources that prevents an attack, and the test that fails without it (`npm run prove:guards`). */
export interface Guard {
  /** Of the table in docs/security.md. */
  row: number;
  file: string;
  /** Found there exactly once. */
  text: string;
  /** A regression that the test must detect. */
  instead: string;
  testFile: string;
  /** Prefix of the names of its tests, from `describe` on. */
  test: string;
  /** The one of them that is enough. */
  only?: string | undefined;
}

/**
 * guards.txt names a test in each line without indentation (`file #row describe > test`), a source in each line that is
 * indented by 2, and a guard of that source in each line that is indented by 4: `text ⇒ instead`, or `text` if it is
 * removed. `⏎` is a line break. `⁞` is dropped, so that no file contains what looks like a key.
 */
export const GUARDS: Guard[] = readFileSync(new URL('guards.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split(/\n(?! )/)
  .flatMap((group) => {
    const [heading, ...lines] = group.split('\n');
    const [, name, row, test, only] = /^(\S+) (?=#(\d+) )(.*?)(?: > (.*))?$/.exec(heading!)!;
    const testFile = `test/proof/attacks/${name}`;
    let file = '';
    return lines.flatMap((line): Guard[] => {
      if (!line.startsWith('    ')) {
        file = line.trim();
        return [];
      }
      const [text, instead = ''] = line.slice(4).replace('⁞', '').replaceAll('⏎', '\n').split(' ⇒ ');
      return [{ row: Number(row), file, text: text!, instead, testFile, test: test!, only }];
    });
  });
