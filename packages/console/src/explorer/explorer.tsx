import { Trans } from '@lingui/react/macro';
import { useEffect, useMemo, useState } from 'react';
import { type Credentials, headersOf, loadCredentials, storeCredentials } from './credentials.ts';
import { CredentialsBar } from './credentials-bar.tsx';
import { Editor, useSchema } from './editor.tsx';
import { createFetcher } from './fetcher.ts';

const SAMPLE = `# Choose credentials above.
# ▶ runs the operation.
# Ctrl-Space completes.
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

  const change = (changed: Credentials, remember: boolean) => {
    storeCredentials(changed, remember);
    setStored({ credentials: changed, isRemembered: remember });
  };
  return (
    <main>
      <h1 className="hidden">
        <Trans>GraphQL explorer</Trans>
      </h1>
      <CredentialsBar
        key={credentials.kind}
        credentials={credentials}
        isRemembered={isRemembered}
        status={status}
        onChange={change}
      />
      <Editor fetcher={fetcher} schema={schema} sample={SAMPLE} />
    </main>
  );
}
