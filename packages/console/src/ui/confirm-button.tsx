import { t } from '@lingui/core/macro';
import { ActionIcon, Button, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconDots, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Footer, textProps } from './form.tsx';

interface Question {
  label: string;
  /** What will happen. */
  question: string;
  /** Whether nothing is lost. */
  isHarmless?: boolean;
  /** Text that must be typed first, for what cannot be undone. */
  typed?: string;
  onConfirm: () => void;
}

/** A button for what destroys or ends something. */
export function ConfirmButton({ isLoading = false, ...question }: Question & { isLoading?: boolean }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...(!question.isHarmless && { c: 'var(--mantine-color-error)' })}
        onClick={open}
        loading={isLoading}
      >
        {question.label}
      </Button>
      <Confirmation isOpen={isOpen} onClose={close} {...question} />
    </>
  );
}

/** What is rarely done on a page, in a menu of its header. */
export function RareAction({ isLoading = false, ...question }: Question & { isLoading?: boolean }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t`More actions`} loading={isLoading}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item c="var(--mantine-color-error)" leftSection={<IconTrash size={16} />} onClick={open}>
            {question.label}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirmation isOpen={isOpen} onClose={close} {...question} />
    </>
  );
}

interface DeletionProps extends Omit<Question, 'onConfirm'> {
  remove: () => Promise<unknown>;
  /** The page that remains, and the key of what it shows. */
  list: NavigateOptions;
  listKey: readonly unknown[];
  /** Reported at the end. */
  done?: string;
}

/** In the header of the page of what is deleted. Leads to its list. */
export function Deletion({ remove, list, listKey, done, ...question }: DeletionProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: listKey });
      await navigate(list);
      if (done !== undefined) notifications.show({ message: done });
    },
  });
  return <RareAction {...question} onConfirm={() => removal.mutate()} isLoading={removal.isPending} />;
}

interface ConfirmationProps extends Question {
  isOpen: boolean;
  onClose: () => void;
}

/** Asks before something is destroyed or ended. */
export function Confirmation({ isOpen, label, question, isHarmless, typed, onConfirm, onClose }: ConfirmationProps) {
  const [text, setText] = useState('');
  const confirm = () => {
    onClose();
    setText('');
    onConfirm();
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={label} centered>
      <Stack>
        <Text>{question}</Text>
        {typed !== undefined && (
          <TextInput label={t`Type “${typed}” to confirm`} {...textProps(text, setText)} data-autofocus />
        )}
        <Footer onCancel={onClose}>
          <Button
            color={isHarmless ? 'brand' : 'red.8'}
            onClick={confirm}
            disabled={typed !== undefined && text !== typed}
          >
            {label}
          </Button>
        </Footer>
      </Stack>
    </Modal>
  );
}
