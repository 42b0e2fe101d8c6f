import fc from 'fast-check';
import { field, NO_PAGE, ONE_PAGE, operation, page } from './operation.ts';
import { flag, mostly, perhaps, ref, text, wellFormed } from './values.ts';

const place = ref('geodatum');
const degrees = fc.constantFrom(-91, 0, 12.5, 51.5, 52);
const about = {
  latitude: mostly(degrees),
  longitude: mostly(degrees),
  status: perhaps(fc.oneof({ weight: 6, arbitrary: text }, fc.constant('x'.repeat(1001)))),
};

const geodata = [
  operation('post /geodata', about)
    .with({ wrapper: 'geo_data', learn: { geodatum: ({ geo_datum }) => geo_datum.id } })
    .served('bob', { latitude: 52, longitude: 12.5 })
    .refused('bob', { latitude: -91, longitude: 12.5 }),
  operation('get /geodata/find', {
    page,
    user: field(
      perhaps(wellFormed('user')),
      (id) => ({ 'user.id': id }),
      (id) => ({ filter: { and: [{ userId: { in: [id] } }] } }),
    ),
    near: field(
      perhaps(fc.constant('51.5;0.1')),
      (current_position) => ({ current_position, radius: 5_000_000 }),
      () => ({ position: { latitude: 51.5, longitude: 0.1 }, radius: 5_000_000 }),
    ),
    latestOnly: field(flag, (isLast) => ({ last_only: Number(isLast) })),
    withStatus: field(flag, (isAsked) => ({ status: Number(isAsked) })),
    ascending: field(
      flag,
      (isAscending) => ({ sort_asc: Number(isAscending) }),
      (isAscending) => ({ orderBy: { field: 'CREATED_AT', direction: isAscending ? 'ASC' : 'DESC' } }),
    ),
  })
    .served('bob', { page: ONE_PAGE, near: '51.5;0.1', latestOnly: true, withStatus: false, ascending: true })
    .refused('bob', { page: NO_PAGE, latestOnly: false, withStatus: false, ascending: false }),
  operation('get /geodata/:id')
    .served('bob', { id: place(0) })
    .refused('bob', { id: place('malformed') }),
  operation('put /geodata/:id', { ...about })
    .with({ wrapper: 'geo_data' })
    .served('alice', { id: place(0), status: 'hello' })
    .refused('bob', { id: place(0), status: 'hello' }),
  operation('delete /geodata/:id')
    .served('bob', { id: place(1) })
    .refused('bob', { id: place(0) }),
  operation('delete /geodata', { days: mostly(fc.nat(2)) })
    .served('key', { days: 1 })
    .refused('key', { days: 0 }),
];

const udid = perhaps(fc.constantFrom('u1', 'u2', 'u1', 'u2', 'u'.repeat(65)));
const contact = fc.record({
  name: mostly(fc.constantFrom('Bob', 'Carol', '')),
  phone: mostly(fc.constantFrom('+44700900001', '+44700900002', '12')),
  destroy: fc.constantFrom(undefined, undefined, 1),
});

const contacts = [
  operation('post /address_book', {
    contacts: mostly(fc.array(contact, { minLength: 1, maxLength: 3 })),
    udid,
    force: perhaps(flag),
  })
    .served('alice', { contacts: [{ name: 'Carol', phone: '+44700900002' }], udid: 'u1' })
    .refused('alice', { udid: 'u1' }),
  operation('get /address_book', { udid }).served('alice', { udid: 'u1' }).refused('alice'),
  operation('get /address_book/registered_users', { udid, compact: flag })
    .served('alice', { udid: 'u1', compact: true })
    .refused('alice', { compact: false }),
];

export const places = [...geodata, ...contacts];
