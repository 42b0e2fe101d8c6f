import { graphql, type VariablesOf } from '@atrium/client';
import { t } from '@lingui/core/macro';
import { Button, Card, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClassNames } from '../app/class-names.ts';
import { query } from '../app/clients.ts';
import { submitting, textProps } from '../ui/form.tsx';
import { Loaded } from '../ui/page.tsx';
import { Status } from '../ui/status.tsx';

const EXPLAIN = graphql(`query ConsoleExplainAccess(
  $userId: Int!, $operation: AccessOperation!, $className: String, $id: String
) {
  explainAccess(userId: $userId, operation: $operation, className: $className, id: $id) { isAllowed sentence }
}`);

type Operation = VariablesOf<typeof EXPLAIN>['operation'];

const OPERATIONS: Record<Operation, string> = {
  CREATE_RECORD: t`create a record`,
  READ_RECORD: t`read a record`,
  UPDATE_RECORD: t`change a record`,
  DELETE_RECORD: t`delete a record`,
  CREATE_DIALOG: t`create a dialog`,
  READ_DIALOG: t`read a dialog`,
  SEND_MESSAGE: t`send a message to a dialog`,
  READ_FILE: t`read a file`,
  UPDATE_FILE: t`change or delete a file`,
};

interface Question {
  operation: Operation;
  className: string | null;
  id: string;
}

/** Whether the user may do something, and why, as the service decides it. */
export function UserCheck({ application, id: userId }: { application: number; id: number }) {
  const [question, setQuestion] = useState<Question>({ operation: 'READ_RECORD', className: null, id: '' });
  const [asked, setAsked] = useState<Question & { at: number }>();
  const set = (change: Partial<Question>) => setQuestion({ ...question, ...change });
  const classes = useClassNames(application);
  const ofRecord = question.operation.endsWith('_RECORD');
  const ofFile = question.operation.endsWith('_FILE');
  const ofExisting = !question.operation.startsWith('CREATE_');
  const answer = useQuery({
    queryKey: [application, 'user-check', userId, asked],
    enabled: asked !== undefined,
    queryFn: async ({ signal }) => {
      const { operation, className, id } = asked!;
      const variables = { userId, operation, className, id: id === '' ? null : id };
      return (await query({ application }, EXPLAIN, variables, signal)).explainAccess;
    },
  });
  const submit = () => {
    const { operation, className, id } = question;
    setAsked({
      operation,
      className: ofRecord ? className : null,
      id: ofExisting ? id.trim() : '',
      at: Date.now(),
    });
  };
  return (
    <Card withBorder component="form" onSubmit={submitting(submit)} aria-labelledby="user-check">
      <Stack>
        <Title order={2} size="h4" id="user-check">{t`May this user …?`}</Title>
        <Select
          label={t`What`}
          data={Object.entries(OPERATIONS).map(([value, label]) => ({ value, label }))}
          value={question.operation}
          onChange={(operation) => operation && set({ operation: operation as Operation })}
          allowDeselect={false}
        />
        {ofRecord && (
          <Select
            label={t`Class`}
            placeholder={t`Choose a class`}
            data={classes}
            value={question.className}
            onChange={(className) => set({ className })}
            searchable
            required
          />
        )}
        {ofExisting && (
          <TextInput
            label={ofRecord ? t`Id of the record` : ofFile ? t`Id of the file` : t`Id of the dialog`}
            {...textProps(question.id, (value) => set({ id: value }))}
            autoComplete="off"
            maxLength={24}
            required
          />
        )}
        <Group>
          <Button type="submit" variant="default" loading={answer.isFetching}>{t`Check`}</Button>
        </Group>
        {asked && (
          <Loaded of={answer}>
            {({ isAllowed, sentence }) => (
              <Group gap="xs" role="status" wrap="nowrap" align="flex-start">
                <Status tone={isAllowed ? 'good' : 'bad'}>{isAllowed ? t`Yes` : t`No`}</Status>
                <Text size="sm">{sentence}</Text>
              </Group>
            )}
          </Loaded>
        )}
      </Stack>
    </Card>
  );
}
