// Watches a configuration tree in a process that a test kills, at any time or before its n-th change of the file
// system. Prints each report with its time as a line of JSON. Reads the number of the last stored change as a line.
import { createInterface } from 'node:readline';
import { createLog } from '../../src/log.ts';
import { ChangeStore } from '../../src/watch/change-store.ts';
import { createConfigTrees } from '../../src/watch/config/config-trees.ts';
import { killBeforeWrite } from './killed-before-write.ts';

const [agentDir = '', tree = '', killedBefore = '0'] = process.argv.slice(2);
killBeforeWrite(Number(killedBefore));
const log = createLog(process.stderr, 'error', false);
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const store = await ChangeStore.open({
  agentDir,
  names: ['config'],
  log,
  now: Date.now,
  monotonicMs: () => performance.now(),
  onWaiting: () => undefined,
});
const watcher = createConfigTrees({
  trees: [tree],
  withDiffs: false,
  dir: `${agentDir}/watch/config`,
  installationKey: () => undefined,
  now: Date.now,
  log,
});
const { signal } = new AbortController();

for (;;) {
  const beganMs = performance.now();
  const look = await watcher.look(store.observed('config'), signal);
  await store.keep('config', look, performance.now() - beganMs);
  const changes = store.next();
  process.stdout.write(`${JSON.stringify({ sentMs: Date.now(), changes })}\n`);
  const { value, done } = await answers.next();
  if (done) break;
  await store.acknowledge(changes, Number(value));
}
