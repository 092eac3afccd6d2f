// `pnpm faults jobs-once [--rounds 2] [--broken]`: two servers send messages and the audit log. One is stopped for a
// time longer than its leases and continues, or gets `kill -9`. See the README of the folder above.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../../packages/sdk/src/index.ts';
import { newText } from '../honest-clients.ts';
import { createChannels, missingOf, startReceivers } from '../receivers.ts';
import { readOptions } from '../script.ts';
import { startTwoServers } from './two-servers.ts';

const { rounds } = readOptions('jobs-once', { rounds: 2 });
/** Time without a fault, in which nothing may come twice. */
const STEADY_MS = 15_000;
/** Longer than the leases, and the wait of the server that takes over. */
const AWAY_MS = 40_000;
const AFTER_MS = 5_000;
const EVERY_MS = 400;
/** An error after so many changes: a round of rules notifies of at most 20 new ones, also after the time away. */
const ERROR_EVERY = 10;
const ARRIVE_MAX_MS = 300_000;
/** Entries of the audit log in one batch, which may come twice after a fault. */
const AUDIT_BATCH = 100;
/** Messages that are sent at the same time, one of each channel. */
const CHANNELS = 2;

using receivers = await startReceivers();
await using world = await startTwoServers({
  QUARTERDECK_WEBHOOK_ALLOW: '127.0.0.0/8',
  QUARTERDECK_AUDIT_SYSLOG: receivers.syslogUrl,
});
const clientOf = (index: number) =>
  createClient({ url: world.servers[index === 0 ? 0 : 1].url, sessionToken: world.session, retries: 0 });
const acknowledged: string[] = [];
/** Server that gets the requests. */
let asked = 0;
let stopped = false;

/** Reports changes and new errors. One that fails counts as not sent. */
async function write(): Promise<void> {
  for (let n = 0; !stopped; n += 1) {
    const [change, error] = [newText(), newText()];
    const client = clientOf(asked);
    const good = (text: string) => acknowledged.push(text);
    await client.change.create({ body: { kind: 'deploy', name: change } }).then(() => good(change), ignore);
    if (n % ERROR_EVERY === 0)
      await client.errlog.append({ body: { level: 4, log: error } }).then(() => good(error), ignore);
    await delay(EVERY_MS);
  }
}
const ignore = () => undefined;

const problems: string[] = [];
/** Notes what came more often than `faults` faults allow. */
function checkRepeats(when: string, faults: number): void {
  const { messages, entries } = receivers.repeats();
  if (messages > faults * CHANNELS) problems.push(`${when}: ${messages} messages came again`);
  if (entries > faults * AUDIT_BATCH) problems.push(`${when}: ${entries} audit entries came again`);
}

await createChannels(clientOf(0), receivers);
const writing = write();
await delay(STEADY_MS);
checkRepeats('without a fault', 0);
let faults = 0;
for (let round = 0; round < (problems.length === 0 ? rounds : 0); round += 1) {
  for (const index of [0, 1] as const) {
    asked = 1 - index;
    const { child, end } = world.servers[index];
    const isKilled = (round + index) % 2 === 1;
    if (isKilled) await end('SIGKILL');
    else child.kill('SIGSTOP');
    faults += 1;
    await delay(AWAY_MS);
    if (isKilled) await world.restart(index);
    else child.kill('SIGCONT');
    await delay(AFTER_MS);
    checkRepeats(`after ${isKilled ? 'a kill' : 'a stop'}`, faults);
  }
}
stopped = true;
await writing;
const missing = (await missingOf(acknowledged, receivers, ARRIVE_MAX_MS)).length;
if (missing > 0) problems.push(`${missing} acknowledged texts came in no message`);
const doubled = receivers.doubled();
if (doubled > 0) problems.push(`${doubled} texts came under two message ids`);
const gaps = receivers.auditGaps();
if (gaps > 0) problems.push(`${gaps} audit entries did not come`);
const { messages, entries } = receivers.repeats();
for (const problem of problems) console.log(`  NOT KEPT  ${problem}`);
console.log(
  `${acknowledged.length} messages and ${receivers.auditCount()} audit entries, ${faults} stops and kills: ` +
    `${missing + gaps} lost, ${doubled} under two ids; ${messages} messages and ${entries} entries came again`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
