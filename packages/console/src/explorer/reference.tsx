import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Stack, Text, TextInput } from '@mantine/core';
import { IconChevronLeft, IconTrash } from '@tabler/icons-react';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { useMemo, useState } from 'react';
import { CodeText } from '../ui/code-text.tsx';
import type { Saved } from './drafts.ts';
import { type OperationKind, operationsOf, type RootOperation } from './operations.ts';
import { documentIn, operationsIn } from './variables.ts';

interface OperationListProps {
  schema: GraphQLSchema;
  onOpen: (operation: RootOperation) => void;
}

const KINDS: [OperationKind, string][] = [
  ['query', t`Queries`],
  ['mutation', t`Mutations`],
  ['subscription', t`Subscriptions`],
];

/** All operations of the application; the one that was opened last with its documentation. */
export function OperationList({ schema, onOpen }: OperationListProps) {
  const [searched, setSearched] = useState('');
  const [shown, setShown] = useState<(RootOperation | GraphQLNamedType)[]>([]);
  const operations = useMemo(() => operationsOf(schema), [schema]);
  const words = searched.toLowerCase().split(/\s+/);
  const found = operations.filter(({ field: { name, description } }) =>
    words.every((word) => `${name} ${description ?? ''}`.toLowerCase().includes(word)),
  );
  const last = shown.at(-1);
  if (last) {
    return (
      <Stack gap="xs" className="explorer-list" align="flex-start">
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconChevronLeft size={14} />}
          onClick={() => setShown(shown.slice(0, -1))}
        >
          {shown.length > 1 ? <Trans>Back</Trans> : <Trans>All operations</Trans>}
        </Button>
        <Documentation of={last} onShow={(type) => setShown([...shown, type])} />
      </Stack>
    );
  }
  return (
    <div className="explorer-list">
      <TextInput
        size="xs"
        mb="xs"
        type="search"
        aria-label={t`Search operations`}
        placeholder={t`Search ${operations.length} operations`}
        value={searched}
        onChange={(event) => setSearched(event.currentTarget.value)}
      />
      {found.length === 0 && (
        <Text size="sm" c="dimmed">{t`No operation has these words in its name or description.`}</Text>
      )}
      {KINDS.map(([kind, title]) => (
        <Names
          key={kind}
          title={title}
          items={found
            .filter((one) => one.kind === kind)
            .map((operation) => ({
              name: operation.field.name,
              hint: operation.field.description ?? undefined,
              onOpen: () => {
                setShown([operation]);
                onOpen(operation);
              },
            }))}
        />
      ))}
    </div>
  );
}

interface Item {
  name: string;
  hint?: string | undefined;
  onOpen: () => void;
  onDelete?: () => void;
}

function Names({ title, items }: { title: string; items: Item[] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {items.map(({ name, hint, onOpen, onDelete }) => (
          <li key={name}>
            <button type="button" title={hint} onClick={onOpen}>
              {name}
            </button>
            {onDelete && (
              <ActionIcon variant="subtle" size="sm" color="gray" aria-label={t`Delete ${name}`} onClick={onDelete}>
                <IconTrash size={14} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface SavedListProps {
  saved: Saved[];
  recent: string[];
  onOpen: (query: string, variables?: string) => void;
  onForget: (name: string) => void;
}

export function SavedList({ saved, recent, onOpen, onForget }: SavedListProps) {
  return (
    <div className="explorer-list">
      {saved.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          <Trans>Save an operation to find it here again. Saved operations stay in this browser.</Trans>
        </Text>
      )}
      <Names
        title={t`Saved`}
        items={saved.map(({ name, query, variables }) => ({
          name,
          hint: query,
          onOpen: () => onOpen(query, variables),
          onDelete: () => onForget(name),
        }))}
      />
      <Names
        title={t`Recent`}
        items={recent.map((query) => ({ name: titleOf(query), hint: query, onOpen: () => onOpen(query) }))}
      />
    </div>
  );
}

/** The name of the first operation of a text, or its first field. */
export function titleOf(text: string): string {
  const [operation] = operationsIn(documentIn(text));
  const [field] = operation?.selectionSet.selections ?? [];
  return operation?.name?.value ?? (field?.kind === 'Field' ? field.name.value : t`Untitled`);
}

interface DocumentationProps {
  of: RootOperation | GraphQLNamedType;
  onShow: (type: GraphQLNamedType) => void;
}

function Documentation({ of, onShow }: DocumentationProps) {
  if ('field' in of) {
    const { name, description, args, type } = of.field;
    return (
      <>
        <h2>{name}</h2>
        <Description text={description} />
        <Parts title={t`Arguments`} parts={[...args]} onShow={onShow} />
        <h3>
          <Trans>Result</Trans>
        </h3>
        <TypeName of={type} onShow={onShow} />
      </>
    );
  }
  return (
    <>
      <h2>{of.name}</h2>
      <Description text={of.description} />
      {isEnumType(of) && <Parts title={t`Values`} parts={[...of.getValues()]} onShow={onShow} />}
      {(isObjectType(of) || isInterfaceType(of) || isInputObjectType(of)) && (
        <Parts title={t`Fields`} parts={Object.values(of.getFields())} onShow={onShow} />
      )}
      {'getTypes' in of && <Parts title={t`Possible types`} parts={[...of.getTypes()]} onShow={onShow} />}
    </>
  );
}

type Part = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'description'> & { type?: GraphQLOutputType };

function Parts({ title, parts, onShow }: { title: string; parts: unknown[]; onShow: DocumentationProps['onShow'] }) {
  if (parts.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl>
        {(parts as Part[]).map(({ name, type, description }) => (
          <div key={name}>
            <dt>
              {name}
              {type && (
                <>
                  : <TypeName of={type} onShow={onShow} />
                </>
              )}
            </dt>
            <dd>
              <Description text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Leads to the fields of the type; the standard scalars have none. */
function TypeName({ of, onShow }: { of: GraphQLOutputType; onShow: DocumentationProps['onShow'] }) {
  const named = getNamedType(of);
  if (isScalarType(named) && !named.description) return <code>{String(of)}</code>;
  return (
    <button type="button" className="type-name" onClick={() => onShow(named)}>
      {String(of)}
    </button>
  );
}

const Description = ({ text }: { text: string | null | undefined }) =>
  text ? (
    <Text size="sm" c="dimmed">
      <CodeText text={text} />
    </Text>
  ) : null;
