import { AtriumError } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Box, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { CancelledError, reason, withAccess } from '../app/access.ts';
import { idOf } from '../app/user-search.ts';
import { type Answer, type Operation, type Sender, send } from '../explorer/requests.ts';
import { useSchema } from '../explorer/schema.ts';
import { Workspace } from '../explorer/workspace.tsx';
import { Page } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';
import { UserSelect } from '../ui/user-select.tsx';

const SAMPLE = `# Runs with your roles. Choose an operation in the list, or write one here.
query Application {
  application {
    id
    name
  }
}
`;

const TYPING_MS = 600;

/** Header values have only Latin letters. */
function headersOf(application: number, stated: string, onBehalfOf: number | undefined): Record<string, string> {
  return {
    Application: String(application),
    ...(stated !== '' && { Reason: encodeURIComponent(stated) }),
    ...(onBehalfOf !== undefined && { 'On-Behalf-Of': String(onBehalfOf) }),
  };
}

export function ExplorerPage() {
  const { application } = useParams({ from: '/shell/apps/$application/explorer' });
  const [stated, setStated] = useState(reason.current ?? '');
  const { user } = useSearch({ from: '/shell/apps/$application/explorer' });
  const navigate = useNavigate({ from: '/apps/$application/explorer' });
  const onBehalfOf = idOf(user);
  const [settledReason] = useDebouncedValue(stated.trim(), TYPING_MS);
  const headers = useMemo(
    () => headersOf(application, settledReason, onBehalfOf),
    [application, settledReason, onBehalfOf],
  );
  const { schema, status } = useSchema(headers);
  const sendAs: Sender = useCallback(
    (operation, signal) =>
      // The dialog may ask for the reason, which is in the headers.
      sendWithAccess(operation, () => headersOf(application, reason.current ?? '', onBehalfOf), signal),
    [application, onBehalfOf],
  );
  return (
    <Page title={t`GraphQL`} description={t`Operations run as you, in this application.`}>
      <Group gap="md" align="flex-end">
        <TextInput
          flex="1 1 14rem"
          maw={360}
          label={t`Reason`}
          placeholder={t`To read messages, for example a ticket`}
          value={stated}
          onChange={({ currentTarget: { value } }) => {
            setStated(value);
            reason.set(value.trim());
          }}
          maxLength={255}
        />
        <UserSelect
          application={application}
          flex="1 1 10rem"
          maw={240}
          label={t`On behalf of user`}
          value={user}
          onChange={(next) => void navigate({ search: { ...(next !== undefined && { user: next }) }, replace: true })}
        />
        <Status tone={status.tone} isLive>
          {status.text}
        </Status>
      </Group>
      <Box className="framed" h="calc(100dvh - 17rem)" mih={520}>
        <Workspace
          key={application}
          schema={schema}
          headers={headers}
          send={sendAs}
          caller={{ kind: 'key', onBehalfOf }}
          sample={SAMPLE}
          storedAs={`atrium:console:explorer:${application}`}
        />
      </Box>
    </Page>
  );
}

const PROMPTS = ['CONFIRMATION_REQUIRED', 'REASON_REQUIRED', 'UNAUTHENTICATED'];

/** Asks for a sign-in, the password or a reason, like the other pages, and then runs the operation again. */
async function sendWithAccess(
  operation: Operation,
  headers: () => Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  let answer: Answer | undefined;
  try {
    return await withAccess(async () => {
      answer = await send(operation, headers(), signal);
      const [first] = answer.errors;
      if (first && PROMPTS.includes(first.extensions?.code ?? '')) throw AtriumError.answered([first] as never);
      return answer;
    });
  } catch (error) {
    if (answer && (error instanceof CancelledError || error instanceof AtriumError)) return answer;
    throw error;
  }
}
