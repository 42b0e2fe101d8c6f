import { MigrationError, SourceError } from '../errors.ts';
import type { Run } from '../run.ts';
import { newFields, type RuledField, readFieldType, sentenceOf } from '../service.ts';
import type { SourceClass, SourceRecord } from '../shapes.ts';
import { pagesById } from './pages.ts';

/** Classes are visible to API keys only. */
export async function readClasses({ source, ledger, progress }: Run): Promise<void> {
  progress.begin('classes');
  const classes = await source.classes().catch((error) => {
    if (!(error instanceof SourceError)) throw error;
    progress.say('classes and records are skipped, because the other server shows them to API keys only');
    return [];
  });
  for (const content of classes) fieldsOf(content);
  ledger.count('classesRead', classes.length);
  await ledger.stage(
    {},
    classes.map((content) => ({ kind: 'class', id: content.name, content })),
  );
  progress.advance(classes.length);
}

export async function readRecords({ source, ledger, progress }: Run): Promise<void> {
  const resumed = String(ledger.cursor.className ?? '');
  for await (const { id: className, content } of ledger.items<SourceClass>('class')) {
    if (className < resumed) continue;
    const fields = fieldsOf(content);
    const total = await source.countRecords(className, 'all');
    const pages = pagesById({
      what: `records of ${className}`,
      after: className === resumed ? String(ledger.cursor.after) : '',
      read: async (last: string) => ({ total_entries: total, items: await source.records(className, last, 'all') }),
      onTotal: () => progress.begin(`records of ${className}`, total),
    });
    for await (const { items, after } of pages) {
      for (const record of items) requireFit(className, fields, record);
      ledger.count('recordsRead', items.length);
      await ledger.stage(
        { className, after },
        items.map((record) => ({ kind: 'record', id: record.id, container: className, content: record })),
      );
      progress.advance(items.length);
    }
  }
}

function fieldsOf({ name, custom_fields }: SourceClass): ReadonlyMap<string, RuledField> {
  return new Map(
    custom_fields.map((field) => {
      const type = readFieldType(field.type)?.type;
      if (!type) throw new MigrationError(`class ${name}: field ${field.name} has an unknown type`);
      const isArray = isArrayField(field);
      return [field.name, { name: field.name, type, isArray, isRequired: false, isInUniqueKey: false, maxBytes: null }];
    }),
  );
}

export function isArrayField({ is_array }: SourceClass['custom_fields'][number]): boolean {
  return is_array === true || is_array === '1' || is_array === 'true';
}

function requireFit(className: string, fields: ReadonlyMap<string, RuledField>, record: SourceRecord): void {
  const [problem] = newFields(fields, record.fields).problems;
  if (problem !== undefined) throw new MigrationError(`record ${record.id} of ${className}: ${sentenceOf(problem)}`);
}
