import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';

interface ConfirmButtonProps {
  label: string;
  /** What will happen. */
  question: string;
  /** Text that must be typed first, for what cannot be undone. */
  typed?: string;
  onConfirm: () => void;
  isLoading?: boolean;
}

/** A button for what destroys or ends something. */
export function ConfirmButton({ label, question, typed, onConfirm, isLoading = false }: ConfirmButtonProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const [text, setText] = useState('');
  const confirm = () => {
    close();
    setText('');
    onConfirm();
  };
  return (
    <>
      <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={open} loading={isLoading}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={label} centered>
        <Stack>
          <Text>{question}</Text>
          {typed !== undefined && (
            <TextInput
              label={`Type “${typed}” to confirm`}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              data-autofocus
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red.8" onClick={confirm} disabled={typed !== undefined && text !== typed}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
