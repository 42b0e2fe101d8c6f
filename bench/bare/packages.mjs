import { createServer } from 'node:http';

// Plain JavaScript, because a compiler costs time and memory.
process.on('disconnect', () => process.exit());
for (const name of process.argv.slice(2)) await import(name);
const server = createServer((_request, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`));
