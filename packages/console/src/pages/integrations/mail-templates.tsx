import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Card, Code, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { submitting } from '../../ui/form.tsx';
import { Loaded } from '../../ui/page.tsx';

const TEMPLATES = graphql(`query ConsoleMailTemplates {
  mailTemplates { kind subject text html isDefault updatedAt }
}`);
const PREVIEW = graphql(`query ConsoleMailPreview($input: MailTemplateInput!) {
  mailPreview(input: $input) { subject text html }
}`);
const UPDATE = graphql(`mutation ConsoleUpdateMailTemplate($input: MailTemplateInput!) {
  updateMailTemplate(input: $input) { kind }
}`);
const RESET = graphql(`mutation ConsoleResetMailTemplate($kind: MailTemplateKind!) {
  resetMailTemplate(kind: $kind) { kind }
}`);

type Template = ResultOf<typeof TEMPLATES>['mailTemplates'][number];

/** A placeholder with a text for a missing value. */
const WITH_DEFAULT = '{{name|there}}';

const NAMES: Record<Template['kind'], string> = {
  PASSWORD_RESET: t`Mail of a password reset`,
  EMAIL_VERIFICATION: t`Mail that verifies an address`,
  SIGN_IN_CODE: t`Mail with a code to sign in`,
  NEW_DEVICE: t`Mail about a new device`,
};

const PREVIEW_DELAY_MS = 400;

export function MailTemplates({ application }: { application: number }) {
  const templates = useQuery({
    queryKey: [application, 'mail-templates'],
    queryFn: async ({ signal }) => (await query({ application }, TEMPLATES, {}, signal)).mailTemplates,
    refetchOnWindowFocus: false,
  });
  return (
    <Loaded of={templates}>
      {(loaded) =>
        loaded.map((template) => (
          <TemplateForm key={`${template.kind} ${template.updatedAt}`} application={application} stored={template} />
        ))
      }
    </Loaded>
  );
}

function TemplateForm({ application, stored }: { application: number; stored: Template }) {
  const { kind, isDefault } = stored;
  const [texts, setTexts] = useState({ subject: stored.subject, text: stored.text, html: stored.html ?? '' });
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [application, 'mail-templates'] });
  const input = { kind, ...texts };
  const save = useMutation({
    mutationFn: () => mutate({ application }, UPDATE, { input }),
    onSuccess: () => {
      notifications.show({ message: t`The mail was saved` });
      return refresh();
    },
    meta: { showsErrors: true },
  });
  const reset = useMutation({ mutationFn: () => mutate({ application }, RESET, { kind }), onSuccess: refresh });
  const set = (field: keyof typeof texts) => (event: { currentTarget: { value: string } }) =>
    setTexts({ ...texts, [field]: event.currentTarget.value });
  return (
    <Card withBorder>
      <form onSubmit={submitting(() => save.mutate())}>
        <Stack>
          <Title order={2} size="h5">
            {NAMES[kind]}
          </Title>
          <Text size="sm" c="dimmed">
            {isDefault ? t`The text of the service applies.` : t`Your own text applies.`} <Trans>Placeholders:</Trans>{' '}
            <Code>{'{{application}}'}</Code> <Code>{'{{name}}'}</Code> <Code>{'{{login}}'}</Code>{' '}
            <Code>{'{{link}}'}</Code> <Code>{'{{minutes}}'}</Code>.{' '}
            <Trans>
              <Code>{WITH_DEFAULT}</Code> is “there” for users without a name.
            </Trans>
          </Text>
          <TextInput label={t`Subject`} value={texts.subject} onChange={set('subject')} maxLength={200} required />
          <Textarea label={t`Text`} value={texts.text} onChange={set('text')} rows={10} maxLength={20_000} required />
          <Textarea
            label={t`HTML`}
            description={t`Optional, for mail programs that show HTML. Values of placeholders are escaped.`}
            value={texts.html}
            onChange={set('html')}
            rows={4}
            maxLength={100_000}
            spellCheck={false}
          />
          {save.error && (
            <Alert color="red" role="alert">
              {sentenceOf(save.error)}
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={save.isPending}>
              <Trans>Save mail</Trans>
            </Button>
            {!isDefault && (
              <ConfirmButton
                label={t`Use the default text`}
                question={t`Your text is deleted, and the text of the service applies again.`}
                onConfirm={() => reset.mutate()}
                isLoading={reset.isPending}
              />
            )}
          </Group>
          <Preview application={application} input={input} />
        </Stack>
      </form>
    </Card>
  );
}

interface PreviewProps {
  application: number;
  input: { kind: Template['kind']; subject: string; text: string; html: string };
}

function Preview({ application, input }: PreviewProps) {
  const [settled] = useDebouncedValue(input, PREVIEW_DELAY_MS, { leading: false });
  const preview = useQuery({
    queryKey: [application, 'mail-preview', settled],
    queryFn: async ({ signal }) => (await query({ application }, PREVIEW, { input: settled }, signal)).mailPreview,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return (
    <Stack gap="xs" component="section" aria-label={t`Preview`}>
      <Title order={3} size="h6">
        <Trans>Preview</Trans>
      </Title>
      {preview.error ? (
        <Text size="sm" c="var(--mantine-color-error)">
          {sentenceOf(preview.error)}
        </Text>
      ) : (
        preview.data && (
          <>
            <Text fw={600}>{preview.data.subject}</Text>
            <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {preview.data.text}
            </Code>
            {preview.data.html !== null && (
              <iframe
                title={t`HTML of the mail`}
                sandbox=""
                srcDoc={preview.data.html}
                style={{
                  width: '100%',
                  height: 280,
                  border: '1px solid var(--field-line)',
                  borderRadius: 'var(--radius-small)',
                  background: '#fff',
                }}
              />
            )}
          </>
        )
      )}
    </Stack>
  );
}
