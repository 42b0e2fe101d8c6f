import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useCallback, useMemo, useState } from 'react';
import { idOf } from '../app/user-search.ts';
import { type Credentials, headersOf, loadCredentials, storeCredentials } from './credentials.ts';
import { CredentialsBar } from './credentials-bar.tsx';
import { type Sender, send } from './requests.ts';
import { useSchema } from './schema.ts';
import { Workspace } from './workspace.tsx';

const SAMPLE = `# ${t`Choose credentials above and an operation in the list, or write one here. Ctrl-Space completes names.`}
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

/** The page at `/graphql`. */
export function Explorer() {
  const [{ credentials, isRemembered }, setStored] = useState(loadCredentials);
  const headers = useMemo(() => headersOf(credentials), [credentials]);
  const { schema, status } = useSchema(headers);
  const sendAs: Sender = useCallback((operation, signal) => send(operation, headers, signal), [headers]);

  const change = (changed: Credentials, remember: boolean) => {
    storeCredentials(changed, remember);
    setStored({ credentials: changed, isRemembered: remember });
  };
  return (
    <main className="explorer-page">
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
      <Workspace
        schema={schema}
        headers={headers}
        send={sendAs}
        caller={{ kind: credentials.kind, onBehalfOf: idOf(credentials.onBehalfOf) }}
        sample={SAMPLE}
        storedAs="atrium:explorer"
      />
    </main>
  );
}
