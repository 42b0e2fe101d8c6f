import { t } from '@lingui/core/macro';
import { Fieldset, MultiSelect, Select, Stack, TagsInput, Text, Textarea } from '@mantine/core';
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { useState } from 'react';
import { membersOf } from '../ui/json.ts';
import type { Variable } from './variables.ts';

interface VariablesFormProps {
  variables: (Variable & { description?: string | undefined })[];
  values: Record<string, unknown>;
  onChange: (values: Record<string, unknown>) => void;
}

/** A field for each variable, by its type. Fields of input objects nest. */
export function VariablesForm({ variables, values, onChange }: VariablesFormProps) {
  if (variables.length === 0) {
    return <Text size="sm" c="dimmed">{t`This operation has no variables.`}</Text>;
  }
  return (
    <Stack gap="sm">
      {variables.map(({ name, type, description, defaultValue }) => (
        <Value
          key={`${name} ${type}`}
          name={name}
          type={type}
          isRequired={isNonNullType(type) && defaultValue === undefined}
          description={description}
          value={values[name]}
          onChange={(value) => onChange(withMember(values, name, value))}
        />
      ))}
    </Stack>
  );
}

interface ValueProps {
  name: string;
  type: GraphQLInputType;
  isRequired: boolean;
  description?: string | null | undefined;
  value: unknown;
  /** Undefined: no value is sent. */
  onChange: (value: unknown) => void;
}

function Value(props: ValueProps) {
  const { name, isRequired, description, value, onChange } = props;
  const type = getNullableType(props.type) as GraphQLInputType;
  const common = { label: name, withAsterisk: isRequired, description: firstSentence(description) };
  if (isInputObjectType(type)) return <Members {...props} type={type} />;
  if (isListType(type)) {
    const item = getNamedType(type);
    const items = Array.isArray(value) ? value : [];
    if (!isLeafType(item) || isListType(getNullableType(type.ofType))) return <Json {...props} />;
    const set = (texts: string[]) =>
      onChange(texts.length === 0 ? undefined : texts.map((text) => scalarOf(text, item.name)));
    return isEnumType(item) ? (
      <MultiSelect {...common} data={namesOf(item)} value={items.map(String)} onChange={set} clearable searchable />
    ) : (
      <TagsInput {...common} value={items.map(String)} onChange={set} placeholder={item.name} />
    );
  }
  if (isEnumType(type) || FLAGS.includes(type.toString())) {
    const data = isEnumType(type) ? namesOf(type) : ['true', 'false'];
    return (
      <Select
        {...common}
        data={data}
        value={value === undefined || value === null ? null : String(value)}
        onChange={(text) => onChange(text === null ? undefined : isEnumType(type) ? text : text === 'true')}
        clearable
        searchable={data.length > 8}
      />
    );
  }
  if (type.toString() === 'JSON') return <Json {...props} />;
  return (
    <Textarea
      {...common}
      autosize
      minRows={1}
      maxRows={8}
      placeholder={type.toString()}
      value={value === undefined || value === null ? '' : String(value)}
      onChange={({ currentTarget: { value: text } }) =>
        onChange(text === '' ? undefined : scalarOf(text, type.toString()))
      }
    />
  );
}

/** An input object. It is sent once a field of it has a value. */
function Members({ name, type, isRequired, description, value, onChange }: ValueProps) {
  const fields = (isInputObjectType(type) ? Object.values(type.getFields()) : [])
    .filter(({ deprecationReason }) => deprecationReason == null)
    .sort((one, other) => Number(isRequiredInputField(other)) - Number(isRequiredInputField(one)));
  const members = membersOf(value);
  const [isOpen, setOpen] = useState(isRequired || value !== undefined);
  const set = (changed: Record<string, unknown>) =>
    onChange(Object.keys(changed).length === 0 && !isRequired ? undefined : changed);
  return (
    <Fieldset
      className="members"
      legend={
        <button type="button" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {name}
          {isRequired && <span className="asterisk"> *</span>}
        </button>
      }
    >
      {isOpen ? (
        <Stack gap="sm">
          {fields.map((field) => (
            <Value
              key={field.name}
              name={field.name}
              type={field.type}
              isRequired={isRequiredInputField(field)}
              description={field.description}
              value={members[field.name]}
              onChange={(changed) => set(withMember(members, field.name, changed))}
            />
          ))}
        </Stack>
      ) : (
        <Text size="xs" c="dimmed">
          {firstSentence(description) ?? t`${fields.length} fields`}
        </Text>
      )}
    </Fieldset>
  );
}

/** A value of several types, or a list of objects. Text that is no JSON is kept, and not sent. */
function Json({ name, isRequired, description, value, type, onChange }: ValueProps) {
  const [typed, setTyped] = useState<string>();
  const text = typed ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
  const set = (changed: string) => {
    setTyped(changed);
    if (changed.trim() === '') onChange(undefined);
    else if (jsonIn(changed) !== undefined) onChange(jsonIn(changed));
  };
  return (
    <Textarea
      label={name}
      description={firstSentence(description)}
      withAsterisk={isRequired}
      placeholder={t`JSON of type ${type.toString()}`}
      error={text.trim() !== '' && jsonIn(text) === undefined ? t`This is not JSON` : undefined}
      autosize
      minRows={2}
      maxRows={12}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      onBlur={() => jsonIn(text) !== undefined && setTyped(undefined)}
      styles={{ input: { fontFamily: 'var(--font-code)' } }}
    />
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FLAGS = ['Boolean', 'Flag'];
const NUMBERS = ['Int', 'Float', 'SafeInt', 'Seconds', 'UnixTime'];

/** What is no number remains a text, which is marked as wrong. */
function scalarOf(text: string, type: string): unknown {
  if (type === 'Boolean') return text === 'true';
  return NUMBERS.includes(type) && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function withMember(values: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _, ...rest } = values;
  return value === undefined ? rest : { ...values, [name]: value };
}

const namesOf = (type: { getValues: () => readonly { name: string }[] }) => type.getValues().map(({ name }) => name);

/** In plain text, below a label. */
const firstSentence = (text: string | null | undefined) =>
  text?.match(/^.*?\.(?=\s|$)/s)?.[0].replaceAll('`', '') ?? text;
