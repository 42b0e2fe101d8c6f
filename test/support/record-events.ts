import type { Listening } from './sockets.ts';

// Subscriptions to the records of a class `cars` with `make` and `value`, which tell the same under the same names.

export const RECORD_CHANGED = `subscription ($where: JSON, $since: String) {
  changed: recordChanged(className: "cars", where: $where, since: $since) {
    cursor change recordId record { id fields } } }`;

export const CAR_CHANGED = `subscription ($where: CarFilter, $since: String) {
  changed: carChanged(where: $where, since: $since) { cursor change recordId record: car { id make value } } }`;

/** An event in short: `CREATED AB 1`, or `DELETED -` where no record comes with it. */
// biome-ignore lint/suspicious/noExplicitAny: events of both kinds
function short({ changed: { change, record } }: any): string {
  const shown = record?.fields ?? record;
  return shown ? `${change} ${shown.make} ${shown.value}` : `${change} -`;
}

/** All that came, in short. */
export const heardBy = (listening: Listening) => listening.heard().map(short);

/** Of the event that came so many before. */
export const cursorOf = (listening: Listening, nth: number): string => listening.heard()[nth].changed.cursor;
