import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Card, Code, Group, Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { mutate, query } from '../../app/clients.ts';
import { sentenceOf } from '../../app/query-client.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Problem, submitting, textProps } from '../../ui/form.tsx';
import { Loaded } from '../../ui/page.tsx';

const TEMPLATES = graphql(`query ConsoleMailTemplates {
  mailTemplates { kind language subject text html isDefault updatedAt }
}`);
const PREVIEW = graphql(`query ConsoleMailPreview($input: MailTemplateInput!) {
  mailPreview(input: $input) { subject text html }
}`);
const UPDATE = graphql(`mutation ConsoleUpdateMailTemplate($input: MailTemplateInput!) {
  updateMailTemplate(input: $input) { kind }
}`);
const RESET = graphql(`mutation ConsoleResetMailTemplate($kind: MailTemplateKind!, $language: String!) {
  resetMailTemplate(kind: $kind, language: $language) { kind }
}`);

type Template = ResultOf<typeof TEMPLATES>['mailTemplates'][number];

/** A placeholder with a text for a missing value. */
const WITH_DEFAULT = '{{name|there}}';

export const MAIL_NAMES: Record<Template['kind'], string> = {
  PASSWORD_RESET: t`Mail of a password reset`,
  EMAIL_VERIFICATION: t`Mail that verifies an address`,
  SIGN_IN_CODE: t`Mail with a code to sign in`,
  NEW_DEVICE: t`Mail about a new device`,
};

/** Values that the service has for each mail, in addition to those of all mails. */
const PLACEHOLDERS: Record<Template['kind'], readonly string[]> = {
  PASSWORD_RESET: ['link', 'minutes'],
  EMAIL_VERIFICATION: ['code', 'link', 'minutes'],
  SIGN_IN_CODE: ['code', 'minutes'],
  NEW_DEVICE: ['device'],
};
/** The service knows the language of the app only where the app requests the mail. */
const WITH_LANGUAGES: readonly Template['kind'][] = ['EMAIL_VERIFICATION', 'SIGN_IN_CODE'];
const COMMON_PLACEHOLDERS = ['application', 'name', 'login'];

const PREVIEW_DELAY_MS = 400;

const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/;
const languageNames = new Intl.DisplayNames(undefined, { type: 'language' });

const nameOfLanguage = (language: string) =>
  language === '' ? t`All other languages` : `${languageNames.of(language)} (${language})`;

export function MailTemplates({ application }: { application: number }) {
  const templates = useQuery({
    queryKey: [application, 'mail-templates'],
    queryFn: async ({ signal }) => (await query({ application }, TEMPLATES, {}, signal)).mailTemplates,
    refetchOnWindowFocus: false,
  });
  return (
    <Card withBorder>
      <Stack>
        <Title order={2} size="h5">{t`Texts of mails`}</Title>
        <Loaded of={templates}>{(loaded) => <Mails application={application} templates={loaded} />}</Loaded>
      </Stack>
    </Card>
  );
}

/** One mail in one language at a time. */
function Mails({ application, templates }: { application: number; templates: Template[] }) {
  const [kind, setKind] = useState<Template['kind']>('PASSWORD_RESET');
  const [language, setLanguage] = useState('');
  const ofKind = templates.filter((one) => one.kind === kind);
  const general = ofKind.find((one) => one.language === '')!;
  const stored = ofKind.find((one) => one.language === language) ?? { ...general, language, isDefault: true };
  const languages = [...new Set([...ofKind.map((one) => one.language), language])];
  const mayAdd = WITH_LANGUAGES.includes(kind);
  return (
    <>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <Select
          label={t`Mail`}
          data={Object.entries(MAIL_NAMES).map(([value, label]) => ({ value, label }))}
          value={kind}
          onChange={(chosen) => {
            if (!chosen) return;
            setKind(chosen as Template['kind']);
            setLanguage('');
          }}
          allowDeselect={false}
        />
        {(mayAdd || languages.length > 1) && (
          <Select
            label={t`Language`}
            description={t`Of the app, which states it when it requests the mail`}
            inputWrapperOrder={['label', 'input', 'description']}
            data={languages.map((value) => ({ value, label: nameOfLanguage(value) }))}
            value={language}
            onChange={(chosen) => chosen !== null && setLanguage(chosen)}
            allowDeselect={false}
          />
        )}
        {mayAdd && <AddLanguage onAdd={setLanguage} />}
      </Group>
      <TemplateForm
        key={`${kind} ${language} ${stored.updatedAt}`}
        application={application}
        stored={stored}
        onReset={() => setLanguage('')}
      />
    </>
  );
}

function AddLanguage({ onAdd }: { onAdd: (language: string) => void }) {
  const [typed, setTyped] = useState('');
  const language = typed.trim().toLowerCase();
  const isValid = LANGUAGE.test(language);
  const add = () => {
    onAdd(language);
    setTyped('');
  };
  return (
    <TextInput
      label={t`Add a language`}
      description={t`For example de or pt-BR`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...textProps(typed, setTyped)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && isValid) add();
      }}
      maxLength={35}
      spellCheck={false}
      rightSectionWidth={64}
      rightSection={<Button size="compact-sm" variant="subtle" disabled={!isValid} onClick={add}>{t`Add`}</Button>}
    />
  );
}

interface TemplateFormProps {
  application: number;
  /** Of a language without texts: those for all others. */
  stored: Template;
  onReset: () => void;
}

function TemplateForm({ application, stored, onReset }: TemplateFormProps) {
  const { kind, language, isDefault } = stored;
  const [texts, setTexts] = useState({ subject: stored.subject, text: stored.text, html: stored.html ?? '' });
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: [application, 'mail-templates'] });
  const input = { kind, language, ...texts };
  const save = useMutation({
    mutationFn: () => mutate({ application }, UPDATE, { input }),
    onSuccess: () => {
      notifications.show({ message: t`The mail was saved` });
      return refresh();
    },
    meta: { showsErrors: true },
  });
  const reset = useMutation({
    mutationFn: () => mutate({ application }, RESET, { kind, language }),
    onSuccess: async () => {
      await refresh();
      onReset();
    },
  });
  const set = (field: keyof typeof texts) => (event: { currentTarget: { value: string } }) =>
    setTexts({ ...texts, [field]: event.currentTarget.value });
  return (
    <form onSubmit={submitting(() => save.mutate())}>
      <Stack>
        <Text size="sm" c="dimmed">
          {stateOf(stored)} <Trans>Placeholders:</Trans>{' '}
          {[...COMMON_PLACEHOLDERS, ...PLACEHOLDERS[kind]].map((name) => (
            <Fragment key={name}>
              <Code>{`{{${name}}}`}</Code>{' '}
            </Fragment>
          ))}
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
        <Problem of={save.error} />
        <Group>
          <Button type="submit" loading={save.isPending}>{t`Save mail`}</Button>
          {!isDefault && (
            <ConfirmButton
              label={language === '' ? t`Use the default text` : t`Remove this language`}
              question={
                language === ''
                  ? t`Your text is deleted, and the text of the service applies again.`
                  : t`The text for this language is deleted, and that for all others applies again.`
              }
              onConfirm={() => reset.mutate()}
              isLoading={reset.isPending}
            />
          )}
        </Group>
        <Preview application={application} input={input} />
      </Stack>
    </form>
  );
}

function stateOf({ language, isDefault }: Template): string {
  if (!isDefault) return t`Your own text applies.`;
  return language === '' ? t`The text of the service applies.` : t`The text for all other languages applies.`;
}

interface PreviewProps {
  application: number;
  input: { kind: Template['kind']; language: string; subject: string; text: string; html: string };
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
      <Title order={3} size="h6">{t`Preview`}</Title>
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
