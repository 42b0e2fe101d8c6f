import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Checkbox, Menu, Modal, Popover, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBookmark,
  IconCode,
  IconColumns3,
  IconDownload,
  IconTransfer,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { NameForm } from '../../ui/form.tsx';
import type { RecordClass } from './documents.ts';
import { exportAll, type Format } from './export.ts';
import type { FilterChange } from './filters.tsx';
import { type ColumnLayout, PLAIN } from './layout.ts';
import type { View } from './view.ts';

interface GridMenusProps {
  view: View;
  definition: RecordClass;
  columns: readonly { key: string; name: string }[];
  layout: ColumnLayout;
  search: FilterChange;
  onSearch: (change: FilterChange) => void;
  onImport: () => void;
  onCode: () => void;
}

const TOOL = { className: 'toolbar-rare', size: 'xs', variant: 'subtle', color: 'gray', px: 6 } as const;

/** Saved views, columns, code, import and export. */
export function GridMenus({ view, definition, columns, layout, search, onSearch, onImport, onCode }: GridMenusProps) {
  const download = useMutation({ mutationFn: (format: Format) => exportAll(view, definition, format) });
  return (
    <>
      <Views layout={layout} search={search} onSearch={onSearch} />
      <ColumnChoice columns={columns} layout={layout} />
      <Button {...TOOL} leftSection={<IconCode size={16} />} onClick={onCode}>{t`Code`}</Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button {...TOOL} leftSection={<IconTransfer size={16} />} loading={download.isPending}>
            <Trans>Import, export</Trans>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconUpload size={14} />} onClick={onImport}>
            <Trans>Import a JSON or CSV file</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={14} />} onClick={() => download.mutate('json')}>
            <Trans>Export as JSON</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={14} />} onClick={() => download.mutate('csv')}>
            <Trans>Export as CSV</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Filters, order and columns under a name. */
function Views({ layout, search, onSearch }: Pick<GridMenusProps, 'layout' | 'search' | 'onSearch'>) {
  const [isOpen, { open, close }] = useDisclosure();
  const { views, columns, saveView, removeView, setColumns } = layout;
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button {...TOOL} leftSection={<IconBookmark size={16} />}>{t`Views`}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            onClick={() => {
              setColumns(PLAIN);
              onSearch({ filter: undefined, sort: undefined, as: undefined });
            }}
          >
            <Trans>All records</Trans>
          </Menu.Item>
          {views.map((view) => (
            <Menu.Item
              key={view.name}
              onClick={() => {
                setColumns(view.columns);
                onSearch({ filter: undefined, sort: undefined, as: undefined, ...view.search });
              }}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconBookmark size={14} />} onClick={open}>{t`Save this view`}</Menu.Item>
          {views.map(({ name }) => (
            <Menu.Item key={name} leftSection={<IconTrash size={14} />} onClick={() => removeView(name)}>
              {t`Remove ${name}`}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isOpen} onClose={close} title={t`Save this view`}>
        <NameForm
          action={t`Save`}
          onCancel={close}
          onCreate={(name) => {
            saveView({ name, search, columns });
            close();
          }}
          isPending={false}
        />
      </Modal>
    </>
  );
}

function ColumnChoice({ columns, layout }: Pick<GridMenusProps, 'columns' | 'layout'>) {
  const { hidden } = layout.columns;
  const visible = columns.filter(({ key }) => !hidden.includes(key));
  return (
    <Popover position="bottom-end" trapFocus withArrow>
      <Popover.Target>
        <Button {...TOOL} leftSection={<IconColumns3 size={16} />}>{t`Columns`}</Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {columns.map(({ key, name }) => (
            <Checkbox
              key={key}
              size="sm"
              label={name}
              checked={!hidden.includes(key)}
              disabled={visible.length === 1 && visible[0]?.key === key}
              onChange={({ currentTarget: { checked } }) =>
                layout.setColumns({ hidden: checked ? hidden.filter((one) => one !== key) : [...hidden, key] })
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
