import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Pill, Popover, Select, Stack, TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { type SubmitEvent, useState } from 'react';
import { UserSelect } from '../../ui/user-select.tsx';
import type { Field, RecordClass } from './documents.ts';
import { InvalidValueError, parseValue } from './values.ts';

export interface Condition {
  field: string;
  operator: string;
  text: string;
}

const OPERATORS = [
  { value: 'eq', label: t`is` },
  { value: 'ne', label: t`is not` },
  { value: 'contains', label: t`contains` },
  { value: 'gt', label: t`is greater than` },
  { value: 'gte', label: t`is at least` },
  { value: 'lt', label: t`is less than` },
  { value: 'lte', label: t`is at most` },
];

/** Fields of every record. */
const OWN_FIELDS: Pick<Field, 'name' | 'type' | 'array'>[] = [
  { name: 'id', type: 'STRING', array: false },
  { name: 'parentId', type: 'STRING', array: false },
  { name: 'userId', type: 'INTEGER', array: false },
  { name: 'createdAt', type: 'DATE', array: false },
  { name: 'updatedAt', type: 'DATE', array: false },
];

const fieldsOf = ({ fields }: RecordClass) => [...fields.filter(({ type }) => type !== 'FILE'), ...OWN_FIELDS];

/** From the address, whose text is untrusted. */
export function readConditions(text: string | undefined): Condition[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter(isCondition) : [];
  } catch {
    return [];
  }
}

function isCondition(value: unknown): value is Condition {
  const { field, operator, text } = (value ?? {}) as Partial<Condition>;
  return [field, operator, text].every((part) => typeof part === 'string');
}

/** The filter of the API; all conditions must match. */
export function recordFilter(conditions: Condition[], definition: RecordClass): object {
  const fields = fieldsOf(definition);
  const filters = conditions.flatMap(({ field: name, operator, text }) => {
    const field = fields.find((one) => one.name === name);
    if (!field) return [];
    return [{ [name]: { [operator]: field.array ? text : parseValue(text, field) } }];
  });
  return filters.length === 0 ? {} : { and: filters };
}

export interface FilterChange {
  filter?: string | undefined;
  sort?: string | undefined;
  as?: string | undefined;
}

interface FiltersProps {
  application: number;
  definition: RecordClass;
  conditions: Condition[];
  as: string | undefined;
  /** Field of the condition that is being added; empty for any. */
  opened: string | undefined;
  onOpened: (field: string | undefined) => void;
  onChange: (change: FilterChange) => void;
}

export function Filters({ application, definition, conditions, as, opened, onOpened, onChange }: FiltersProps) {
  const close = () => onOpened(undefined);
  const set = (next: Condition[]) => onChange({ filter: next.length === 0 ? undefined : JSON.stringify(next) });
  return (
    <Group gap="xs">
      <Popover opened={opened !== undefined} onChange={close} trapFocus position="bottom-start" withArrow>
        <Popover.Target>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconFilter size={16} />}
            onClick={() => onOpened(opened === undefined ? '' : undefined)}
          >
            <Trans>Filter</Trans>
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <ConditionForm
            key={opened}
            definition={definition}
            initial={opened}
            onAdd={(condition) => {
              set([...conditions, condition]);
              close();
            }}
          />
        </Popover.Dropdown>
      </Popover>
      <UserSelect
        application={application}
        size="xs"
        aria-label={t`See as user`}
        placeholder={t`See as user`}
        value={as}
        onChange={(user) => onChange({ as: user })}
        w={150}
        className="toolbar-rare"
      />
      {conditions.map((condition, index) => {
        const name = `${condition.field} ${labelOf(condition.operator)} ${condition.text || t`empty`}`;
        return (
          <Pill
            key={name}
            size="md"
            withRemoveButton
            removeButtonProps={{ 'aria-label': t`Remove the condition ${name}`, 'aria-hidden': false, tabIndex: 0 }}
            onRemove={() => set(conditions.filter((_, position) => position !== index))}
          >
            {name}
          </Pill>
        );
      })}
    </Group>
  );
}

function labelOf(operator: string): string {
  return OPERATORS.find(({ value }) => value === operator)?.label ?? operator;
}

interface ConditionFormProps {
  definition: RecordClass;
  /** Name of the field. */
  initial: string | undefined;
  onAdd: (condition: Condition) => void;
}

function ConditionForm({ definition, initial, onAdd }: ConditionFormProps) {
  const fields = fieldsOf(definition);
  const [field, setField] = useState(initial || fields[0]!.name);
  const [operator, setOperator] = useState('eq');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    try {
      recordFilter([{ field, operator, text }], definition);
      onAdd({ field, operator, text });
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      setProblem(error.message);
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" w={260}>
        <Select
          label={t`Field`}
          data={fields.map(({ name }) => name)}
          value={field}
          onChange={(value) => value && setField(value)}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
        />
        <Select
          label={t`Condition`}
          data={OPERATORS}
          value={operator}
          onChange={(value) => value && setOperator(value)}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
        />
        <TextInput
          label={t`Value`}
          description={t`Empty: no value`}
          value={text}
          error={problem}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit">{t`Add`}</Button>
      </Stack>
    </form>
  );
}
