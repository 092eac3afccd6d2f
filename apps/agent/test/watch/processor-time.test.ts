import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commandsCpuMs } from '../../src/watch/processor-time.ts';

/** Uses processor time and prints how much, milliseconds. */
const BUSY = `
let x = 0;
for (let n = 0; n < 12_000_000; n += 1) x = (x * 31 + n) % 1_000_003;
const { user, system } = process.cpuUsage();
process.stdout.write(String((user + system + (x & 1)) / 1000));
`;

it.runIf(process.platform === 'linux')('counts the processor time of commands that have ended', () => {
  const beforeMs = commandsCpuMs();
  const reported = Number(spawnSync(process.execPath, ['-e', BUSY], { encoding: 'utf8' }).stdout);
  expect(reported).toBeGreaterThan(20);
  // The times of the user and the system are each cut to a tick.
  expect(commandsCpuMs() - beforeMs).toBeGreaterThan(reported - 40);
});
