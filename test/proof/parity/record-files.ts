import fc from 'fast-check';
import { command, given, mostly, pick, text } from './command.ts';
import type { ParityFixture } from './fixture.ts';

const place = { record: pick, fieldName: mostly(fc.constantFrom('motor', 'motor', 'motor', 'make')) };

function fileOf(
  fixture: ParityFixture,
  { record, fieldName = '' }: { record: Parameters<ParityFixture['pick']>[1]; fieldName?: string | undefined },
) {
  const id = fixture.pick('record', record);
  return { path: { class: 'cars', id }, variables: { className: 'cars', id, fieldName } };
}

export const recordFileCommands = [
  command('post /data/:class/:id/file', { ...place, bytes: text }, (fixture, { bytes, ...where }) => ({
    ...fileOf(fixture, where),
    form: { fields: given({ field_name: where.fieldName }) as Record<string, string>, bytes },
  })),
  ...(['get', 'delete'] as const).map((method) =>
    command(`${method} /data/:class/:id/file`, place, (fixture, where) => ({
      ...fileOf(fixture, where),
      query: given({ field_name: where.fieldName }),
    })),
  ),
];
