import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { STORING_NICE } from './thread-priority.ts';

const CODE = `
  import { readlinkSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { parentPort } from 'node:worker_threads';
  import { yieldToMainThread } from ${JSON.stringify(new URL('./thread-priority.ts', import.meta.url).href)};
  yieldToMainThread();
  parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));
`;

it.runIf(process.platform === 'linux')('lowers the priority of one thread alone', async () => {
  const before = getPriority();
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CODE)}`));
  const priority = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await worker.terminate();
  expect(priority).toBe(Math.max(before, STORING_NICE));
  expect(getPriority()).toBe(before);
});
