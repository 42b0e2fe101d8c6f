import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { GridColumn } from '../../ui/grid-row.tsx';
import { Time } from '../../ui/values.tsx';
import { CellEditor, CellValue, type ClassOf, Owner } from './cell.tsx';
import type { useChanges } from './changes.ts';
import type { DataRecord, Field, FieldType, RecordClass } from './documents.ts';
import { ColumnHeader, type HeaderProps } from './header.tsx';
import { arranged, type ColumnLayout } from './layout.ts';
import { parseValue, textOf } from './values.ts';

type Change = ReturnType<typeof useChanges>;

const WIDTHS: Record<FieldType, number> = {
  STRING: 200,
  INTEGER: 110,
  FLOAT: 110,
  BOOLEAN: 110,
  DATE: 168,
  LOCATION: 170,
  FILE: 200,
};

const isSortable = ({ array, type }: Field) => !array && type !== 'FILE' && type !== 'LOCATION';

export interface ColumnOptions {
  application: number;
  definition: RecordClass;
  layout: ColumnLayout;
  sort: string | undefined;
  change: Change;
  onSort: (sort: string | undefined) => void;
  onFilter: (name: string) => void;
  onStatistics: (field: Field) => void;
  /** Undefined if the administrator may not change the class. */
  onIndex: ((field: Field, index: boolean) => void) | undefined;
  onProblem: (error: unknown) => void;
}

type Base = Omit<GridColumn<DataRecord>, 'header'> & Pick<HeaderProps['column'], 'icon'> & { field?: Field };

/** The visible columns in the order of the person, and all that could be visible. */
export function useColumns(options: ColumnOptions): {
  shown: GridColumn<DataRecord>[];
  all: { key: string; name: string }[];
} {
  const { application, definition, layout, sort, change, onSort, onFilter, onStatistics, onIndex, onProblem } = options;
  const { columns } = layout;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions only use what the others depend on
  return useMemo(() => {
    const all = arranged(
      [
        ...definition.fields.map((field) =>
          fieldColumn(field, { application, className: definition.name }, change, onProblem),
        ),
        ...ownColumns(application),
      ],
      columns,
    );
    const visible = all.filter(({ key }) => !columns.hidden.includes(key));
    const keys = visible.map(({ key }) => key);
    const shown = visible.map(({ icon, field, ...column }): GridColumn<DataRecord> => {
      const width = columns.widths[column.key] ?? column.width;
      const canSort = field ? isSortable(field) : column.key === 'createdAt' || column.key === 'updatedAt';
      const order = sort === column.key ? 'ascending' : sort === `-${column.key}` ? 'descending' : 'none';
      const header = (
        <ColumnHeader
          key={column.key}
          column={{ key: column.key, name: column.name, width, icon }}
          field={field}
          keys={keys}
          layout={layout}
          sorted={canSort ? order : undefined}
          onSort={onSort}
          onFilter={field?.type === 'FILE' ? undefined : () => onFilter(column.key)}
          onStatistics={field && isSortable(field) ? () => onStatistics(field) : undefined}
          onIndex={field && isSortable(field) && onIndex ? (index) => onIndex(field, index) : undefined}
        />
      );
      return { ...column, width, header };
    });
    return { shown, all: all.map(({ key, name }) => ({ key, name })) };
  }, [definition, columns, sort, application]);
}

/** The values of others are hidden from the user as whom the administrator looks. */
const isReadable = ({ fields }: DataRecord) => fields !== null;

function fieldColumn(field: Field, of: ClassOf, change: Change, onProblem: (error: unknown) => void): Base {
  const { name, type, array } = field;
  const text = (record: DataRecord) => textOf(record.fields?.[name], field);
  const set = (record: DataRecord, value: unknown) =>
    change([{ record, fields: { [name]: value } }], t`${name} changed`);
  const isEditable = type !== 'FILE';
  return {
    key: name,
    name,
    field,
    icon: array ? 'LIST' : type,
    width: WIDTHS[type],
    isNumber: !array && (type === 'INTEGER' || type === 'FLOAT'),
    isRead: !array && type === 'DATE',
    textOf: text,
    render: (record) => <CellValue record={record} field={field} of={of} />,
    ...(isEditable && {
      isEditable: isReadable,
      editor: (record, session) => (
        <CellEditor
          name={name}
          text={text(record)}
          session={session}
          onStore={(typed) => set(record, parseValue(typed, field))}
        />
      ),
      store: (record, typed) => {
        try {
          if (isReadable(record) && typed !== text(record)) set(record, parseValue(typed, field));
        } catch (error) {
          onProblem(error);
        }
      },
    }),
    ...(type === 'BOOLEAN' &&
      !array && { onToggle: (record) => isReadable(record) && set(record, record.fields?.[name] !== true) }),
  };
}

const ownColumns = (application: number): Base[] => [
  {
    key: 'userId',
    name: t`Owner`,
    icon: 'USER',
    width: 100,
    isNumber: true,
    textOf: ({ userId }) => String(userId || ''),
    render: ({ userId }) => <Owner application={application} userId={userId} />,
  },
  timeColumn('createdAt', t`Created`),
  timeColumn('updatedAt', t`Changed`),
  {
    key: 'id',
    name: t`Id`,
    icon: 'ID',
    width: 230,
    textOf: ({ id }) => id,
    render: ({ id }) => <code>{id}</code>,
  },
];

function timeColumn(key: 'createdAt' | 'updatedAt', name: string): Base {
  return {
    key,
    name,
    icon: 'DATE',
    isRead: true,
    width: 160,
    textOf: (record) => new Date(record[key] * 1000).toISOString(),
    render: (record) => <Time of={record[key]} />,
  };
}
