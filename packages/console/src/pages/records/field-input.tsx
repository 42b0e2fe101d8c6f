import { t } from '@lingui/core/macro';
import { NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import type { Field } from './documents.ts';
import { FORMATS, TYPE_NAMES } from './values.ts';

interface FieldInputProps {
  field: Field;
  label: string;
  /** As `textOf` makes it, and `parseValue` reads it. */
  text: string;
  onChange: (text: string) => void;
  error?: string | undefined;
  /** Whether it has the focus when its dialog opens. */
  isFirst?: boolean;
}

/** The input that suits the type of a field. */
export function FieldInput({
  field: { type, array, required },
  label,
  text,
  onChange,
  error,
  isFirst,
}: FieldInputProps) {
  const common = { label, error, withAsterisk: required, 'data-autofocus': isFirst || undefined };
  const onText = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  if (array)
    return (
      <TextInput {...common} description={t`A list in JSON, for example ["a", "b"]`} value={text} onChange={onText} />
    );
  switch (type) {
    case 'BOOLEAN':
      return (
        <Select
          {...common}
          data={['true', 'false']}
          value={text || null}
          onChange={(chosen) => onChange(chosen ?? '')}
          placeholder={TYPE_NAMES[type]}
          clearable={!required}
          comboboxProps={{ zIndex: 500 }}
        />
      );
    case 'INTEGER':
    case 'FLOAT':
      return (
        <NumberInput
          {...common}
          description={TYPE_NAMES[type]}
          value={text}
          onChange={(number) => onChange(String(number))}
          allowDecimal={type === 'FLOAT'}
        />
      );
    case 'DATE':
      return (
        <TextInput
          {...common}
          description={t`Date and time in your time zone`}
          type="datetime-local"
          step="any"
          max="9999-12-31T23:59"
          // Not controlled, because a date that is being typed is none.
          defaultValue={localTime(text)}
          onChange={({ currentTarget: { value } }) => onChange(value && new Date(value).toISOString())}
        />
      );
    case 'STRING':
      // Only this one keeps the lines of a text.
      return (
        <Textarea
          {...common}
          description={TYPE_NAMES[type]}
          value={text}
          onChange={onText}
          autosize
          minRows={1}
          maxRows={12}
        />
      );
    default:
      return <TextInput {...common} description={FORMATS[type]} value={text} onChange={onText} />;
  }
}

/** Of a moment, as inputs of browsers take it; seconds only if there are any. */
function localTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return '';
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, -1).replace(/:00\.000$/, '');
}
