import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState, useSyncExternalStore } from 'react';
import { Form, textProps } from '../ui/form.tsx';
import { accessPrompt, reason } from './access.ts';
import { ConfirmForm, SignInForm } from './sign-in-forms.tsx';

const TITLES = {
  'sign-in': t`Your session has ended`,
  confirmation: t`Confirm that it is you`,
  reason: t`Why do you read messages?`,
};

/** Opens above the page, so that nothing typed is lost. */
export function AccessDialogs() {
  const prompt = useSyncExternalStore(accessPrompt.subscribe, accessPrompt.get);
  const cancel = () => accessPrompt.settle(false);
  const done = () => accessPrompt.settle(true);
  return (
    <Modal opened={prompt !== undefined} onClose={cancel} title={prompt && TITLES[prompt]} centered zIndex={400}>
      {prompt === 'sign-in' && (
        <Stack>
          <Text size="sm">{t`Sign in again to continue. What you have typed is still there.`}</Text>
          <SignInForm onDone={done} />
        </Stack>
      )}
      {prompt === 'confirmation' && (
        <Stack>
          <Text size="sm">
            <Trans>
              Deletions, secrets, archives and repairs require a proof that it is you, at most every 15 minutes.
            </Trans>
          </Text>
          <ConfirmForm onDone={done} onCancel={cancel} />
        </Stack>
      )}
      {prompt === 'reason' && <ReasonForm onDone={done} onCancel={cancel} />}
    </Modal>
  );
}

function ReasonForm({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const [text, setText] = useState('');
  const submit = () => {
    reason.set(text.trim());
    onDone();
  };
  return (
    <Form onSubmit={submit} action={t`Continue`} isDisabled={text.trim().length < 3} onCancel={onCancel}>
      <Text size="sm">
        <Trans>
          Messages, files and sign-in details of users are private. The console sends the reason with every request of
          this tab.
        </Trans>
      </Text>
      <Textarea
        label={t`Reason`}
        placeholder={t`For example the number of a support ticket`}
        {...textProps(text, setText)}
        maxLength={500}
        data-autofocus
        required
      />
    </Form>
  );
}
