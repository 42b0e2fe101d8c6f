import { createServer } from 'node:http';
import { newId } from '../../src/db/ids.ts';
import type { Statement } from '../service.ts';
import { preparer, sessionValues } from './database.ts';
import { announce, settingsOf } from './settings.ts';

export interface RecordSettings {
  databaseUrl: string;
  session: Statement;
  store: Statement;
  answer: string;
}

interface Car {
  registered: string;
  place: string;
}

const settings = await settingsOf<RecordSettings>();
const prepare = preparer(settings.databaseUrl);
const findSession = prepare<{ applicationId: number; userId: number }>(settings.session);
const store = prepare(settings.store);
const [template] = JSON.parse(settings.store.values[0] as string);
const answer = JSON.parse(settings.answer);

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', async () => {
    const given = JSON.parse(body);
    const cars: Car[] = given.record ? Object.values(given.record) : [given];
    const [session] = await findSession(sessionValues(request.headers['svc-token'] as string));
    const now = new Date();
    const rows = cars.map((car) => ({
      ...template,
      id: newId(now),
      userId: session!.userId,
      at: now.toISOString(),
      fields: fieldsOf(car),
    }));
    await store([JSON.stringify(rows)]);
    const seconds = Math.floor(now.getTime() / 1000);
    const items = rows.map((row, nth) => ({
      ...answer,
      _id: row.id,
      user_id: row.userId,
      created_at: seconds,
      updated_at: seconds,
      ...cars[nth],
      registered: `${new Date(row.fields.registered).toISOString().slice(0, 19)}Z`,
      place: [row.fields.place.lat, row.fields.place.lon],
    }));
    const text = JSON.stringify(given.record ? { class_name: 'bench_cars', items } : items[0]);
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
    response.end(text);
  });
});
announce(server);

function fieldsOf(car: Car) {
  const [lat, lon] = car.place.split(',').map(Number);
  return { ...car, registered: Date.parse(`${car.registered.replace(' ', 'T')}Z`), place: { lat, lon } };
}
