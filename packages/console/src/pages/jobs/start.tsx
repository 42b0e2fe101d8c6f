import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, List, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mutate } from '../../app/clients.ts';
import { checkedProps, Footer, Form, submitting, textProps } from '../../ui/form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { START_CHECK, START_EXPORT } from './documents.ts';

const MIN_PASSPHRASE = 12;

interface StartProps {
  application: number;
  onDone: () => void;
}

function useStart(application: number, start: () => Promise<unknown>, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: start,
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: [application, 'jobs'] }),
  });
}

export function StartExport({ application, onDone }: StartProps) {
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const start = useStart(application, () => mutate({ application }, START_EXPORT, { passphrase }), onDone);
  const text = passphrase.trim();
  const isShort = text !== '' && text.length < MIN_PASSPHRASE;
  const isOther = repeated !== '' && repeated !== passphrase;
  return (
    <Form
      onSubmit={() => start.mutate()}
      action={t`Start export`}
      isPending={start.isPending}
      isDisabled={text.length < MIN_PASSPHRASE || repeated !== passphrase}
      onCancel={onDone}
    >
      <Text size="sm">{t`The archive is a snapshot of the application at the start of the export. It contains`}</Text>
      <List size="sm">
        <List.Item>{t`users, dialogs, messages, records, files, devices and settings, with all ids`}</List.Item>
        <List.Item>{t`passwords and API keys as hashes`}</List.Item>
        <List.Item>{t`secrets, such as keys of push providers, encrypted with the passphrase`}</List.Item>
      </List>
      <Text size="sm">
        <Trans>It does not contain sessions, so users sign in again after an import, or the audit log.</Trans>
      </Text>
      <PasswordInput
        label={t`Passphrase`}
        description={t`At least ${MIN_PASSPHRASE} characters. The service does not store it.`}
        error={isShort && t`Needs at least ${MIN_PASSPHRASE} characters`}
        {...textProps(passphrase, setPassphrase)}
        autoComplete="new-password"
        maxLength={1000}
        data-autofocus
        required
      />
      <PasswordInput
        label={t`Repeat the passphrase`}
        error={isOther && t`Differs from the passphrase`}
        {...textProps(repeated, setRepeated)}
        autoComplete="new-password"
        maxLength={1000}
        required
      />
      <Notice title={t`Keep the passphrase, and protect the archive`}>
        <Trans>
          An archive whose passphrase is lost cannot be imported. Everything except secrets is readable without it, so
          store the file like the database.
        </Trans>
      </Notice>
    </Form>
  );
}

export function StartCheck({ application, onDone }: StartProps) {
  const [isRepair, setRepair] = useState(false);
  const start = useStart(application, () => mutate({ application }, START_CHECK, { repair: isRepair }), onDone);
  return (
    <form onSubmit={submitting(() => start.mutate())}>
      <Stack>
        <Text size="sm">
          <Trans>
            A check counts again and compares: unread counts, positions and marks of messages, occupants, records with
            their indexes, events, pushes, files and their bytes. It reads all data, but does not block users.
          </Trans>
        </Text>
        <Checkbox
          label={t`Repair what can be recomputed`}
          description={t`Corrects counters, and removes rows that belong to nothing. Other differences are only reported.`}
          {...checkedProps(isRepair, setRepair)}
        />
        <Footer onCancel={onDone}>
          <Button type="submit" loading={start.isPending} data-autofocus>
            {isRepair ? t`Start check and repair` : t`Start check`}
          </Button>
        </Footer>
      </Stack>
    </form>
  );
}
