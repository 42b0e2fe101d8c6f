import { t } from '@lingui/core/macro';
import { ActionIcon, Loader, Menu, UnstyledButton } from '@mantine/core';
import {
  IconAlignLeft,
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconCalendar,
  IconChartBar,
  IconCheckbox,
  IconChevronDown,
  IconDecimal,
  IconEyeOff,
  IconFile,
  IconFilter,
  IconKey,
  IconList,
  IconMapPin,
  IconNumber123,
  IconUser,
} from '@tabler/icons-react';
import { type PointerEvent, type ReactNode, useRef } from 'react';
import type { Field, FieldType } from './documents.ts';
import { type ColumnLayout, PLAIN } from './layout.ts';
import { TYPE_NAMES } from './values.ts';

const ICONS: Record<FieldType | 'ID' | 'USER' | 'LIST', typeof IconList> = {
  STRING: IconAlignLeft,
  INTEGER: IconNumber123,
  FLOAT: IconDecimal,
  BOOLEAN: IconCheckbox,
  DATE: IconCalendar,
  LOCATION: IconMapPin,
  FILE: IconFile,
  ID: IconKey,
  USER: IconUser,
  LIST: IconList,
};

export interface HeaderProps {
  column: { key: string; name: string; width: number; icon: keyof typeof ICONS };
  /** Undefined for columns of the service. */
  field: Field | undefined;
  /** Keys of all visible columns, in order. */
  keys: string[];
  layout: ColumnLayout;
  /** Undefined if it cannot be sorted. */
  sorted: 'ascending' | 'descending' | 'none' | undefined;
  onSort: (sort: string | undefined) => void;
  /** Undefined if it cannot be filtered. */
  onFilter: (() => void) | undefined;
  onStatistics: (() => void) | undefined;
  /** Undefined if the administrator may not change the class. */
  onIndex: ((index: boolean) => void) | undefined;
}

const MIN_WIDTH = 60;
const STEP = 40;

/** Sorts when it is pressed; a menu has the other actions, and its edge changes the width. */
export function ColumnHeader(props: HeaderProps) {
  const { column, field, keys, layout, sorted, onSort, onFilter, onStatistics, onIndex } = props;
  const { key, name, width, icon } = column;
  const Icon = ICONS[icon];
  const { columns, setColumns } = layout;
  const setWidth = (pixels: number) =>
    setColumns({ widths: { ...columns.widths, [key]: Math.max(MIN_WIDTH, Math.round(pixels)) } });
  const at = keys.indexOf(key);
  const swap = (step: 1 | -1) => {
    const order = [...keys];
    [order[at], order[at + step]] = [order[at + step]!, order[at]!];
    setColumns({ order });
  };
  const sorts: Record<string, string | undefined> = { none: key, ascending: `-${key}`, descending: undefined };
  const type = field && `${TYPE_NAMES[field.type]}${field.array ? ` (${t`list`})` : ''}`;
  const title: ReactNode = (
    <>
      <Icon size={14} aria-label={type} />
      <span>{name}</span>
      {field?.index === 'BUILDING' && <Loader size={12} role="img" aria-label={t`index is being built`} />}
      {sorted === 'ascending' && <IconArrowUp size={14} aria-label={t`ascending`} />}
      {sorted === 'descending' && <IconArrowDown size={14} aria-label={t`descending`} />}
    </>
  );
  return (
    <>
      {sorted ? (
        <UnstyledButton className="grid-title" onClick={() => onSort(sorts[sorted])} title={t`Sort by ${name}`}>
          {title}
        </UnstyledButton>
      ) : (
        <span className="grid-title">{title}</span>
      )}
      <Menu position="bottom-start" withinPortal>
        <Menu.Target>
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t`Column ${name}`}>
            <IconChevronDown size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {sorted && (
            <>
              <Menu.Item leftSection={<IconArrowUp size={14} />} onClick={() => onSort(key)}>
                {t`Sort ascending`}
              </Menu.Item>
              <Menu.Item leftSection={<IconArrowDown size={14} />} onClick={() => onSort(`-${key}`)}>
                {t`Sort descending`}
              </Menu.Item>
            </>
          )}
          {onFilter && (
            <Menu.Item leftSection={<IconFilter size={14} />} onClick={onFilter}>
              {t`Filter by ${name}`}
            </Menu.Item>
          )}
          {onStatistics && (
            <Menu.Item leftSection={<IconChartBar size={14} />} onClick={onStatistics}>
              {t`Statistics`}
            </Menu.Item>
          )}
          {onIndex && field && (
            <Menu.Item leftSection={<IconKey size={14} />} onClick={() => onIndex(field.index === 'NONE')}>
              {field.index === 'NONE' ? t`Create an index` : t`Remove the index`}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<IconArrowLeft size={14} />} disabled={at === 0} onClick={() => swap(-1)}>
            {t`Move left`}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconArrowRight size={14} />}
            disabled={at === keys.length - 1}
            onClick={() => swap(1)}
          >
            {t`Move right`}
          </Menu.Item>
          <Menu.Item closeMenuOnClick={false} onClick={() => setWidth(width + STEP)}>
            {t`Wider`}
          </Menu.Item>
          <Menu.Item closeMenuOnClick={false} onClick={() => setWidth(width - STEP)}>
            {t`Narrower`}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconEyeOff size={14} />}
            disabled={keys.length === 1}
            onClick={() => setColumns({ hidden: [...columns.hidden, key] })}
          >
            {t`Hide`}
          </Menu.Item>
          <Menu.Item onClick={() => setColumns(PLAIN)}>{t`Reset all columns`}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Edge width={width} onResize={setWidth} />
    </>
  );
}

function Edge({ width, onResize }: { width: number; onResize: (pixels: number) => void }) {
  const start = useRef<{ x: number; width: number }>(undefined);
  const onPointerMove = ({ clientX }: PointerEvent) => {
    if (start.current) onResize(start.current.width + clientX - start.current.x);
  };
  return (
    <span
      className="grid-resize"
      aria-hidden="true"
      onPointerDown={({ clientX, currentTarget, pointerId }) => {
        currentTarget.setPointerCapture(pointerId);
        start.current = { x: clientX, width };
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = undefined;
      }}
    />
  );
}
