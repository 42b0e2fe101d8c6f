import { graphql } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Card, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { Problem, submitting, textProps } from '../../ui/form.tsx';
import { Loaded } from '../../ui/page.tsx';
import { MAIL_NAMES, MailTemplates } from './mail-templates.tsx';

const SETTINGS = graphql(`query ConsoleMailSettings { mailSettings { server sender resetPage } }`);
const TEST = graphql(`mutation ConsoleTestMail($to: String, $sample: MailTemplateKind) {
  testMail(to: $to, sample: $sample) { isAccepted answer }
}`);

export function Mail({ application }: { application: number }) {
  const settings = useQuery({
    queryKey: [application, 'mail-settings'],
    queryFn: async ({ signal }) => (await query({ application }, SETTINGS, {}, signal)).mailSettings,
  });
  return (
    <Stack>
      <Card withBorder>
        <Stack gap="xs">
          <Title order={2} size="h5">{t`Mail server`}</Title>
          <Loaded of={settings}>
            {({ server, sender, resetPage }) => (
              <>
                {server === null && (
                  <Alert color="yellow">
                    <Trans>
                      <Text fw={600}>No mail server</Text>
                      Mails are written to files in the folder “mail” of DATA_DIR and not delivered. The operator sets
                      SMTP_URL and restarts the service.
                    </Trans>
                  </Alert>
                )}
                <Fact name={t`Server`} value={server ?? 'none'} />
                <Fact name={t`Sender`} value={sender} />
                <Fact name={t`Page of reset links`} value={resetPage} />
              </>
            )}
          </Loaded>
        </Stack>
      </Card>
      <TestMail application={application} />
      <MailTemplates application={application} />
    </Stack>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text span size="sm" c="dimmed">
        {name}:
      </Text>{' '}
      {value}
    </Text>
  );
}

function TestMail({ application }: { application: number }) {
  const [to, setTo] = useState('');
  const [content, setContent] = useState<'short' | keyof typeof MAIL_NAMES>('short');
  const isSample = content !== 'short';
  const test = useMutation({
    mutationFn: async () => {
      const variables = content === 'short' ? { to } : { sample: content };
      return (await mutate({ application }, TEST, variables)).testMail;
    },
    meta: { showsErrors: true },
  });
  return (
    <Card withBorder>
      <form onSubmit={submitting(() => test.mutate())}>
        <Stack maw={560}>
          <Title order={2} size="h5">{t`Send a test mail`}</Title>
          <Select
            label={t`Content`}
            description={isSample ? t`It is sent to your own address only.` : undefined}
            data={[
              { value: 'short', label: t`A short text` },
              ...Object.entries(MAIL_NAMES).map(([value, name]) => ({ value, label: t`${name}, with a sample user` })),
            ]}
            value={content}
            onChange={(value) => value && setContent(value as typeof content)}
            allowDeselect={false}
          />
          {!isSample && (
            <TextInput
              type="email"
              label={t`Recipient`}
              placeholder={t`you@example.com`}
              {...textProps(to, setTo)}
              required
            />
          )}
          <Group>
            <Button type="submit" loading={test.isPending}>{t`Send test mail`}</Button>
          </Group>
          <Problem of={test.error} />
          {test.data && (
            <Alert color={test.data.isAccepted ? 'teal' : 'red'} role="status">
              <Text fw={600}>{test.data.isAccepted ? t`Accepted` : t`Not accepted`}</Text>
              <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                {test.data.answer}
              </Text>
            </Alert>
          )}
        </Stack>
      </form>
    </Card>
  );
}
