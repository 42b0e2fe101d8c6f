import { i18n } from '@lingui/core';

/** Occupants who stand for the name of a dialog. */
export const NAMED_OCCUPANTS = 3;

interface Named {
  id: string;
  type: string;
  name: string | null;
  occupantIds: readonly number[];
}

/** The service names a private dialog after one of its users; the console shows both. */
export function titleOf({ id, type, name, occupantIds }: Named, nameOf: (id: number) => string): string {
  if (name && type !== 'PRIVATE') return name;
  return new Intl.ListFormat(i18n.locale).format(occupantIds.slice(0, NAMED_OCCUPANTS).map(nameOf)) || id;
}
