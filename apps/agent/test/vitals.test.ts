import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AgentVitals } from '@quarterdeck/core';
import { expect, it } from 'vitest';
import { createVitals } from '../src/facts/vitals.ts';
import { findDisks, MOUNTINFO } from '../src/watch/disk.ts';
import { temporaryFolder } from './temporary.ts';

const FILES = {
  stat: 'cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2 3 4\nbtime 1795000000\n',
  meminfo:
    'MemTotal:       1000 kB\nMemFree:          10 kB\nMemAvailable:    250 kB\nSwapTotal:       200 kB\nSwapFree:        150 kB\n',
  loadavg: '1.50 0.75 0.10 2/345 6789\n',
  uptime: '12345.67 54321.00\n',
  'sys/fs/file-nr': '1472\t0\t9223372036854775807\n',
  'net/sockstat': 'sockets: used 200\nTCP: inuse 12 orphan 0 tw 3 alloc 14 mem 2\nUDP: inuse 1 mem 0\n',
  'net/sockstat6': 'TCP6: inuse 5\nUDP6: inuse 2\n',
};

async function procOf(files: Readonly<Record<string, string>>): Promise<string> {
  const proc = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(proc, name)), { recursive: true });
    await writeFile(join(proc, name), text);
  }
  return proc;
}

const monotonicMs = () => 0;

it('tells how busy the host is, and the share of the processors since the report before', async () => {
  const proc = await procOf(FILES);
  const spaceOf = async (path: string) => {
    if (path === '/gone') throw new Error('unmounted');
    return { bsize: 4096, blocks: 100, bfree: 30, bavail: 20 };
  };
  const vitals = createVitals({ proc, findDisks: async () => ['/', '/gone'], spaceOf, monotonicMs });
  const { cpu, cores, ...first } = await vitals();
  expect(cpu).toBeUndefined();
  expect(cores).toBeGreaterThan(0);
  expect(first).toEqual({
    ...{ memory: 75, swap: 25, load: [1.5, 0.75, 0.1], uptime: 12_345, fds: 1472, tcp: 17 },
    disk: { '/': { used: 70 * 4096, free: 20 * 4096 } },
  });
  await writeFile(join(proc, 'stat'), 'cpu  130 0 100 740 130 0 0 0 0 0\n');
  expect((await vitals()).cpu).toBe(30);
});

it('leaves out what the kernel does not tell, and does not wait for a disk that never answers', async () => {
  const proc = await procOf({ meminfo: 'MemTotal: many\n', loadavg: 'n/a', stat: 'cpu x\n' });
  const never = () => new Promise<never>(() => undefined);
  const vitals = createVitals({ proc, findDisks: async () => ['/'], spaceOf: never, monotonicMs });
  expect(await vitals()).toEqual({ cores: expect.any(Number) });
});

it('reads this host within the bounds of the server', async () => {
  const findHere = () => findDisks(MOUNTINFO, new AbortController().signal);
  const read = await createVitals({ findDisks: findHere, monotonicMs })();
  expect(AgentVitals.parse(read)).toEqual(read);
  expect(read).toMatchObject({ memory: expect.any(Number), load: expect.any(Array), uptime: expect.any(Number) });
});
