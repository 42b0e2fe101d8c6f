import { parse } from 'postcss';
import type { Plugin } from 'vite';

/** Class names of Mantine are hashes. */
const HASHED = /\bm_[0-9a-f]{5,8}\b/g;

/** Removes the styles of components of Mantine that no script names: more than half of its styles. */
export function usedStyles(): Plugin {
  return {
    name: 'used-styles',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const scripts = files.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n');
      const named = new Set(scripts.match(HASHED));
      // Alternatives such as `:where(.m_1, .m_2)` may name others.
      const isUsed = (selector: string) =>
        (selector.replace(/\([^()]*\)/g, '').match(HASHED) ?? []).every((name) => named.has(name));
      for (const file of files) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
        const styles = parse(file.source.toString());
        styles.walkRules((rule) => {
          const used = rule.selectors.filter(isUsed);
          if (used.length === 0) rule.remove();
          else if (used.length < rule.selectors.length) rule.selectors = used;
        });
        styles.walkAtRules((rule) => {
          if (rule.nodes?.length === 0) rule.remove();
        });
        file.source = styles.toString();
      }
    },
  };
}
