import { type BundledLanguage, createCssVariablesTheme, createHighlighter } from 'shiki';
import { escapeHtml } from '../../../src/lib/escape-html.ts';

const LANGUAGES = ['bash', 'diff', 'graphql', 'html', 'ini', 'javascript', 'json', 'python', 'sql', 'typescript'];

// Variables instead of colors, because the content security policy forbids styles of elements.
const theme = createCssVariablesTheme({ variablePrefix: '--' });
const highlighter = await createHighlighter({ themes: [theme], langs: LANGUAGES });

/** @returns HTML with a class for each kind of token; only escaped if the language is unknown */
export function highlight(code: string, language: string): string {
  const lang = highlighter.resolveLangAlias(language);
  if (!highlighter.getLoadedLanguages().includes(lang)) return escapeHtml(code);
  const lines = highlighter.codeToTokensBase(code, { lang: lang as BundledLanguage, theme });
  return lines.map((line) => line.map(({ content, color }) => tokenOf(content, color)).join('')).join('\n');
}

function tokenOf(content: string, color = ''): string {
  const kind = /^var\(--token-([\w-]+)\)$/.exec(color)?.[1];
  return kind === undefined ? escapeHtml(content) : `<span class="${kind}">${escapeHtml(content)}</span>`;
}
