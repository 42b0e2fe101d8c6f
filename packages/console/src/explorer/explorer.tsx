import { GraphiQL } from 'graphiql';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useMemo, useState } from 'react';
import { type Credentials, headersOf, loadCredentials, storeCredentials } from './credentials.ts';
import { CredentialsBar } from './credentials-bar.tsx';
import { createFetcher } from './fetcher.ts';
import { loadSchema } from './schema.ts';

const SAMPLE = `# Choose credentials above. ▶ runs the operation at the cursor; Ctrl-Space completes.
query FirstUsers {
  users(first: 5) {
    totalCount
    edges {
      node {
        id
        login
        fullName
      }
    }
  }
}
`;

export function Explorer() {
  const [{ credentials, isRemembered }, setStored] = useState(loadCredentials);
  const headers = useMemo(() => headersOf(credentials), [credentials]);
  const { schema, status } = useSchema(headers);
  const { fetcher, close } = useMemo(() => createFetcher(headers), [headers]);
  useEffect(() => close, [close]);

  useEffect(nameEditors, []);

  const change = (changed: Credentials, remember: boolean) => {
    storeCredentials(changed, remember);
    setStored({ credentials: changed, isRemembered: remember });
  };
  return (
    <main>
      <h1 className="hidden">GraphQL explorer</h1>
      <CredentialsBar
        key={credentials.kind}
        credentials={credentials}
        isRemembered={isRemembered}
        status={status}
        onChange={change}
      />
      <GraphiQL
        fetcher={fetcher}
        schema={schema}
        defaultQuery={SAMPLE}
        defaultHeaders=""
        shouldPersistHeaders={false}
        showPersistHeadersSettings={false}
        isHeadersEditorEnabled={false}
      >
        <GraphiQL.Logo>{null}</GraphiQL.Logo>
      </GraphiQL>
    </main>
  );
}

function useSchema(headers: Record<string, string>) {
  const [schema, setSchema] = useState<GraphQLSchema | null>(null);
  const [status, setStatus] = useState({ text: 'Loading the schema …', isError: false });
  useEffect(() => {
    const request = new AbortController();
    setStatus({ text: 'Loading the schema …', isError: false });
    loadSchema(headers, request.signal)
      .then((loaded) => {
        setSchema(loaded);
        setStatus({ text: 'Schema loaded', isError: false });
      })
      .catch((error: Error) => {
        if (request.signal.aborted) return;
        setStatus({ text: `The schema could not be loaded: ${error.message}`, isError: true });
      });
    return () => request.abort();
  }, [headers]);
  return { schema, status };
}

/** CodeMirror gives its text fields no accessible name. It loads later than the page. */
function nameEditors(): () => void {
  const observer = new MutationObserver(() => {
    for (const field of document.querySelectorAll('.CodeMirror textarea:not([aria-label])')) {
      const section = field.closest('[aria-label]')?.getAttribute('aria-label');
      field.setAttribute('aria-label', section ?? 'Operation');
    }
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}
