// Creates the classes of classes.json, and writes their types. `npm run dev` does so at its start, too.
import { startServer } from '../server.mjs';
import { writeTypes } from './write-types.mjs';

const { backend, apiKey, stop } = await startServer({ port: 0 });
process.exitCode = await writeTypes(backend, apiKey);
await stop();
