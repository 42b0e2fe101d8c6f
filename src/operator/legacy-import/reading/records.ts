import { readFieldType } from '../../../resolvers/classes/field-notation.ts';
import { newFields, type RuledField } from '../../../resolvers/records/changes.ts';
import { SourceRefusal } from '../client.ts';
import { MigrationError } from '../problem.ts';
import type { Run } from '../run.ts';
import type { SourceClass, SourceRecord } from '../shapes.ts';
import { PAGE } from '../source.ts';
import { Bound, requireAscending } from './bound.ts';

/** Classes are visible to API keys only. */
export async function readClasses({ source, ledger, progress }: Run): Promise<void> {
  progress.begin('classes');
  const classes = await source.classes().catch((error) => {
    if (!(error instanceof SourceRefusal)) throw error;
    progress.say('classes and records are skipped, because the other server shows them to API keys only');
    return [];
  });
  for (const known of classes) fieldsOf(known);
  ledger.count('classesRead', classes.length);
  await ledger.keep(
    {},
    classes.map((content) => ({ kind: 'class', id: content.name, content })),
  );
  progress.advance(classes.length);
}

export async function listRecordPage(run: Run): Promise<void> {
  const { source, ledger, progress } = run;
  const resumed = String(ledger.cursor.className ?? '');
  for await (const { id: className, content } of ledger.each<SourceClass>('class')) {
    if (className < resumed) continue;
    const fields = fieldsOf(content);
    const total = await source.countRecords(className, 'all');
    progress.begin(`records of ${className}`, total);
    const bound = new Bound(`records of ${className}`, total);
    let after = className === resumed ? String(ledger.cursor.after) : '';
    for (;;) {
      const records = await source.records(className, after, 'all');
      bound.add(records.length);
      requireAscending(
        `records of ${className}`,
        records.map(({ id }) => id),
        after,
      );
      for (const record of records) requireFit(className, fields, record);
      after = records.at(-1)?.id ?? after;
      ledger.count('recordsRead', records.length);
      await ledger.keep(
        { className, after },
        records.map((content) => ({ kind: 'record', id: content.id, container: className, content })),
      );
      progress.advance(records.length);
      if (records.length < PAGE) break;
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
  if (problem !== undefined) throw new MigrationError(`record ${record.id} of ${className}: ${problem}`);
}
