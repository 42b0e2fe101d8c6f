import fc from 'fast-check';
import { command, given, mostly, pick, text } from './command.ts';
import type { World } from './world.ts';

const place = { record: pick, fieldName: mostly(fc.constantFrom('motor', 'motor', 'motor', 'make')) };

function fileOf(
  world: World,
  { record, fieldName = '' }: { record: Parameters<World['pick']>[1]; fieldName?: string | undefined },
) {
  const id = world.pick('record', record);
  return { path: { class: 'cars', id }, variables: { className: 'cars', id, fieldName } };
}

export const recordFileCommands = [
  command('post /data/:class/:id/file', { ...place, bytes: text }, (world, { bytes, ...where }) => ({
    ...fileOf(world, where),
    form: { fields: given({ field_name: where.fieldName }) as Record<string, string>, bytes },
  })),
  ...(['get', 'delete'] as const).map((method) =>
    command(`${method} /data/:class/:id/file`, place, (world, where) => ({
      ...fileOf(world, where),
      query: given({ field_name: where.fieldName }),
    })),
  ),
];
