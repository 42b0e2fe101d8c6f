import { AtriumError } from '@atrium/client';
import type { Fetcher } from '@graphiql/toolkit';
import { t } from '@lingui/core/macro';
import { Box, Group, Text, TextInput, useComputedColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { CancelledError, reason, withAccess } from '../app/access.ts';
import { Editor, useSchema } from '../explorer/editor.tsx';
import { createFetcher } from '../explorer/fetcher.ts';
import { Page } from '../ui/page.tsx';

const SAMPLE = `# Runs with your roles.
# ▶ runs the operation.
# Ctrl-Space completes.
query Application {
  application {
    id
    name
  }
}
`;

const TYPING_MS = 600;

/** Header values have only Latin letters. */
function headersOf(application: number, stated: string, onBehalfOf: string): Record<string, string> {
  return {
    Application: String(application),
    ...(stated !== '' && { Reason: encodeURIComponent(stated) }),
    ...(/^\d+$/.test(onBehalfOf) && { 'On-Behalf-Of': onBehalfOf }),
  };
}

export function ExplorerPage() {
  const { application } = useParams({ from: '/shell/apps/$application/explorer' });
  const [stated, setStated] = useState(reason.current ?? '');
  const { user = '' } = useSearch({ from: '/shell/apps/$application/explorer' });
  const [onBehalfOf, setOnBehalfOf] = useState(user);
  const [settled] = useDebouncedValue(`${stated.trim()}\n${onBehalfOf.trim()}`, TYPING_MS);
  const headers = useMemo(() => {
    const [settledReason = '', user = ''] = settled.split('\n');
    return headersOf(application, settledReason, user);
  }, [application, settled]);
  const { schema, status } = useSchema(headers);
  const { fetcher, close } = useMemo(() => createFetcher(headers), [headers]);
  useEffect(() => close, [close]);
  const asking = useMemo(() => askingForAccess(fetcher, application, onBehalfOf), [fetcher, application, onBehalfOf]);
  const theme = useComputedColorScheme();
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
        <TextInput
          flex="1 1 10rem"
          maw={240}
          label={t`On behalf of user`}
          placeholder={t`Id, optional`}
          inputMode="numeric"
          value={onBehalfOf}
          onChange={(event) => setOnBehalfOf(event.currentTarget.value)}
        />
        <Text role="status" size="sm" c={status.isError ? 'var(--mantine-color-error)' : 'dimmed'}>
          {status.text}
        </Text>
      </Group>
      <Box className="framed" h="calc(100dvh - 17rem)" mih={480}>
        <Editor
          key={application}
          fetcher={asking}
          schema={schema}
          sample={SAMPLE}
          storedAs={`atrium:console:${application}`}
          theme={theme}
        />
      </Box>
    </Page>
  );
}

const PROMPTS = ['CONFIRMATION_REQUIRED', 'REASON_REQUIRED', 'UNAUTHENTICATED'];

interface Answer {
  errors?: { message: string; extensions?: { code?: string } }[];
}

/** Asks for a sign-in, the password or a reason, like the other pages, and then runs the operation again. */
function askingForAccess(fetcher: Fetcher, application: number, onBehalfOf: string): Fetcher {
  return async (...request) => {
    let answer: unknown;
    let run = fetcher;
    try {
      await withAccess(async () => {
        answer = await run(...request);
        const { errors: [first] = [] } = (answer ?? {}) as Answer;
        if (!first || !PROMPTS.includes(first.extensions?.code ?? '')) return;
        // The dialog may ask for the reason, which is in the headers.
        run = (...again) => createFetcher(headersOf(application, reason.current ?? '', onBehalfOf)).fetcher(...again);
        throw AtriumError.answered([first] as never);
      });
    } catch (error) {
      if (!(error instanceof CancelledError || error instanceof AtriumError)) throw error;
    }
    return answer as never;
  };
}
