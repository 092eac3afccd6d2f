// `pnpm faults messages [--rounds 20] [--broken]`: kills the built server while it finds new errors, stores messages
// and sends them. Each acknowledged error must arrive by its rule, and each acknowledged change by the types of a
// channel: at least once, and under one message id. See README.md beside this file.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { asAdmin, newPlace, sameAddress, startServer } from './built-server.ts';
import { newText } from './honest-clients.ts';
import { createChannels, missingOf, startReceivers } from './receivers.ts';
import { readOptions } from './script.ts';

const { rounds } = readOptions('messages', { rounds: 20 });
const PAUSE_MS = 1_000;
/** A round of rules notifies of at most 20 new errors one by one, so fewer of two servers may wait for one. */
const ERRORS_MAX = 9;
/** A round of rules is every 5 s, so that each server has one before it is killed, and may be killed in the next. */
const KILL_FROM_MS = 5_000;
const KILL_WITHIN_MS = 5_500;
/** Time after which what has not arrived is lost. */
const ARRIVE_MAX_MS = 300_000;
/** One message of so many is refused, and sent again. */
const REFUSED_ONE_OF = 12;

const settings = { QUARTERDECK_LOG_LEVEL: 'error', QUARTERDECK_WEBHOOK_ALLOW: '127.0.0.0/8' };
using receivers = await startReceivers(REFUSED_ONE_OF);
await using place = await newPlace();
let server = await startServer(place, settings);
const { client } = await asAdmin(server);
await createChannels(client, receivers);

/** Acknowledged texts of errors and of changes. */
const acknowledged = { errors: [] as string[], changes: [] as string[] };

/** Reports errors and changes until the server is gone. One that fails counts as not sent. */
async function write(isOver: () => boolean): Promise<void> {
  const ignore = () => undefined;
  for (let n = 0; n < ERRORS_MAX && !isOver(); n += 1) {
    const [log, name] = [newText(), newText()];
    await client.errlog.append({ body: { level: 4, log } }).then(() => acknowledged.errors.push(log), ignore);
    await client.change.create({ body: { kind: 'deploy', name } }).then(() => acknowledged.changes.push(name), ignore);
    await delay(PAUSE_MS);
  }
}

for (let round = 0; round < rounds; round += 1) {
  const late = await missingOf(acknowledged.errors, receivers, 0);
  if (late.length > ERRORS_MAX) await missingOf(late, receivers, ARRIVE_MAX_MS);
  let isOver = false;
  const writing = write(() => isOver);
  await delay(KILL_FROM_MS + randomInt(KILL_WITHIN_MS));
  await server.end('SIGKILL');
  isOver = true;
  await writing;
  server = await startServer(place, { ...settings, ...sameAddress(server) });
}
const texts = [...acknowledged.errors, ...acknowledged.changes];
const lost = (await missingOf(texts, receivers, ARRIVE_MAX_MS)).length;
await server.end('SIGTERM');
const doubled = receivers.doubled();
const counts = `${acknowledged.errors.length} errors and ${acknowledged.changes.length} changes acknowledged`;
console.log(
  `${rounds} kills; ${counts}, ${lost} lost, ${doubled} under two ids, ${receivers.repeats().messages} repeated`,
);
const isTested = acknowledged.errors.length > 0 && acknowledged.changes.length > 0;
process.exitCode = isTested && lost === 0 && doubled === 0 ? 0 : 1;
