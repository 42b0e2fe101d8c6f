import { t } from '@lingui/core/macro';
import { Anchor, Tooltip } from '@mantine/core';
import { IconCheck, IconMapPin, IconMinus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { sentenceOf } from '../../app/query-client.ts';
import { root } from '../../root.ts';
import { bytesText } from '../../ui/bytes.ts';
import { textProps } from '../../ui/form.tsx';
import { type EditSession, shortened } from '../../ui/grid-row.tsx';
import { membersOf } from '../../ui/json.ts';
import { Time } from '../../ui/values.tsx';
import { hasThumbnail, Thumbnail } from '../files/thumbnail.tsx';
import type { DataRecord, Field } from './documents.ts';
import { textOf } from './values.ts';

export interface ClassOf {
  application: number;
  className: string;
}

/** A value as its type is best read. */
export function CellValue({ record, field, of }: { record: DataRecord; field: Field; of: ClassOf }): ReactNode {
  if (record.fields === null) return <span className="soft">{t`hidden`}</span>;
  const value = record.fields[field.name];
  if (value === null || value === undefined) return <span className="soft">–</span>;
  if (field.array) return shortened(textOf(value, field));
  switch (field.type) {
    case 'BOOLEAN':
      return value ? (
        <IconCheck size={16} aria-hidden="true" />
      ) : (
        <IconMinus size={16} className="soft" aria-hidden="true" />
      );
    case 'DATE':
      return <Time isExact of={String(value)} />;
    case 'LOCATION':
      return (
        <>
          <IconMapPin size={14} className="soft" aria-hidden="true" /> {placeOf(value)}
        </>
      );
    case 'FILE': {
      const { name, size, contentType, fileId } = membersOf(value);
      const text = String(name ?? t`file`);
      const isShown = hasThumbnail(String(contentType), Number(size));
      return (
        <span title={typeof size === 'number' ? bytesText(size) : undefined}>
          <Thumbnail address={isShown ? imageAddress(of, record, field, String(fileId)) : undefined} name={text} />{' '}
          {text}
        </span>
      );
    }
    default:
      return shortened(textOf(value, field));
  }
}

/** An address of the console, because an image cannot state the application. It changes with the file. */
function imageAddress({ application, className }: ClassOf, { id }: DataRecord, { name }: Field, file: string): string {
  return new URL(`console/record-images/${application}/${className}/${id}/${name}?file=${file}`, root).href;
}

/** Latitude and longitude, to about a meter. */
function placeOf(value: unknown): string {
  return (value as number[]).map((degrees) => degrees.toFixed(5)).join(', ');
}

export function Owner({ application, userId }: { application: number; userId: number | null }) {
  if (!userId) return <span className="soft">–</span>;
  return (
    <Anchor
      size="sm"
      tabIndex={-1}
      renderRoot={(props) => (
        <Link {...props} to="/apps/$application/users/$user" params={{ application, user: String(userId) }} />
      )}
    >
      {userId}
    </Anchor>
  );
}

interface CellEditorProps {
  name: string;
  /** The text of the stored value. */
  text: string;
  session: EditSession;
  /** @throws {Error} with a sentence */
  onStore: (text: string) => void;
}

/** Enter and Tab store, Shift Enter begins a line, Escape cancels. A value that the field cannot have keeps the input open. */
export function CellEditor({ name, text, session, onStore }: CellEditorProps) {
  const [edited, setEdited] = useState(session.typed ?? text);
  const [problem, setProblem] = useState<string>();
  const save = (next: Parameters<EditSession['close']>[0]) => {
    try {
      if (edited !== text) onStore(edited);
      session.close(next);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey) save('down');
    else if (event.key === 'Tab' && !event.shiftKey) save('right');
    else if (event.key === 'Escape') session.close('stay');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Tooltip label={problem} opened={problem !== undefined} color="red" position="bottom-start" withinPortal>
      <textarea
        className="grid-input"
        rows={1}
        aria-label={name}
        aria-invalid={problem !== undefined}
        {...textProps(edited, setEdited)}
        onKeyDown={onKeyDown}
        onBlur={() => save('stay')}
        // biome-ignore lint/a11y/noAutofocus: the person has just opened it
        autoFocus
      />
    </Tooltip>
  );
}
