import { t } from '@lingui/core/macro';
import 'graphiql/style.css';
import './graphiql.css';
import type { Fetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useMemo, useState } from 'react';
import { loadSchema } from './schema.ts';

interface EditorProps {
  fetcher: Fetcher;
  schema: GraphQLSchema | null;
  /** Shown in the first tab. */
  sample: string;
  /** Separates the tabs of several explorers in one browser. */
  storedAs?: string;
  theme?: 'light' | 'dark';
}

/** GraphiQL, without its own fields for credentials. */
export function Editor({ fetcher, schema, sample, storedAs, theme }: EditorProps) {
  const storage = useMemo(() => (storedAs === undefined ? undefined : prefixed(storedAs)), [storedAs]);
  useEffect(repairMarkup, []);
  return (
    <GraphiQL
      fetcher={fetcher}
      schema={schema}
      defaultQuery={sample}
      defaultHeaders=""
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
      isHeadersEditorEnabled={false}
      {...(storage && { storage })}
      {...(theme && { forcedTheme: theme })}
    >
      <GraphiQL.Logo>{null}</GraphiQL.Logo>
    </GraphiQL>
  );
}

/** The schema follows the credentials. */
export function useSchema(headers: Record<string, string>) {
  const [schema, setSchema] = useState<GraphQLSchema | null>(null);
  const [status, setStatus] = useState({ text: t`Loading the schema …`, isError: false });
  useEffect(() => {
    const request = new AbortController();
    setStatus({ text: t`Loading the schema …`, isError: false });
    loadSchema(headers, request.signal)
      .then((loaded) => {
        setSchema(loaded);
        setStatus({ text: t`Schema loaded`, isError: false });
      })
      .catch((error: Error) => {
        if (request.signal.aborted) return;
        setStatus({ text: t`The schema could not be loaded: ${error.message}`, isError: true });
      });
    return () => request.abort();
  }, [headers]);
  return { schema, status };
}

/** Repairs what GraphiQL lacks for screen readers. It loads later than the page. */
function repairMarkup(): () => void {
  const observer = new MutationObserver(() => {
    nameEditors();
    unnestTabs();
  });
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-selected'] });
  return () => observer.disconnect();
}

/** CodeMirror gives its text fields no accessible name. */
function nameEditors(): void {
  for (const field of document.querySelectorAll('.CodeMirror textarea:not([aria-label])')) {
    const section = field.closest('[aria-label]')?.getAttribute('aria-label');
    field.setAttribute('aria-label', section ?? t`Operation`);
  }
}

/** A tab must not contain buttons, so tabs become items of a list, whose buttons state which one is open. */
function unnestTabs(): void {
  for (const tab of document.querySelectorAll('.graphiql-tab')) {
    const isOpen = tab.classList.contains('graphiql-tab-active');
    tab.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', String(isOpen));
    for (const name of ['role', 'aria-selected']) tab.removeAttribute(name);
    tab.parentElement?.removeAttribute('role');
  }
}

function prefixed(prefix: string): Storage {
  const own = (key: string) => `${prefix}:${key}`;
  return {
    get length() {
      return localStorage.length;
    },
    key: (index) => localStorage.key(index),
    clear: () => localStorage.clear(),
    getItem: (key) => localStorage.getItem(own(key)),
    setItem: (key, value) => localStorage.setItem(own(key), value),
    removeItem: (key) => localStorage.removeItem(own(key)),
  };
}
