// Watches a configuration tree in a process that a test kills. Prints each report as a line of JSON, and reads the
// number of the last stored change as a line of its input.
import { createInterface } from 'node:readline';
import { createLog } from '../../src/log.ts';
import { ChangeStore } from '../../src/watch/change-store.ts';
import { createConfigTrees } from '../../src/watch/config/config-trees.ts';

const [agentDir = '', tree = ''] = process.argv.slice(2);
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
  now: Date.now,
  log,
});
const { signal } = new AbortController();

for (;;) {
  await store.keep('config', await watcher.look(store.observed('config'), signal));
  const changes = store.next();
  process.stdout.write(`${JSON.stringify(changes)}\n`);
  const { value, done } = await answers.next();
  if (done) break;
  await store.acknowledge(changes, Number(value));
}
