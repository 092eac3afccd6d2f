// Starts the inventory: QUARTERDECK_URL and QUARTERDECK_TOKEN say which server identifies its callers.
import { createRemoteIdentify } from '@quarterdeck/express';
import { createInventory } from './app.ts';

const { QUARTERDECK_URL = 'http://127.0.0.1:7080', QUARTERDECK_TOKEN, PORT = '7090' } = process.env;

const { identify, close } = createRemoteIdentify({ url: QUARTERDECK_URL, apiToken: QUARTERDECK_TOKEN });
const app = createInventory(identify, [
  { id: 1, name: 'power supply 750 W', room: 'ams-1', count: 4 },
  { id: 2, name: 'fan', room: 'ams-1', count: 12 },
  { id: 3, name: 'power supply 750 W', room: 'fra-2', count: 0 },
]);
const server = app.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`The inventory listens on http://127.0.0.1:${PORT}, its documentation is at /docs.\n`);
});
process.once('SIGTERM', () => {
  close();
  server.close();
});
