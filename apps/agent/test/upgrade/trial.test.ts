import { readdir } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { chooseProgram } from '../../src/upgrade/hand-over.ts';
import { makeHost, stageOffer, startDownloads } from './downloads.ts';
import { beginTrial } from './trials.ts';

async function hostOnTrial(version = '0.2.0') {
  const downloads = await startDownloads();
  const host = await makeHost(downloads);
  downloads.offer(version);
  await stageOffer(host.upgrader());
  await chooseProgram({ ...host, say: () => undefined });
  return { downloads, host };
}

it('keeps a version whose report the server has accepted, and the one before it', async () => {
  const { downloads, host } = await hostOnTrial();
  const first = await beginTrial(host, '0.2.0');
  await first.trial?.accept();
  expect(first.lines.join('')).toContain('upgraded: the server has accepted a report of this version');
  for (const version of ['0.3.0', '0.4.0']) {
    downloads.offer(version);
    await stageOffer(host.upgrader('0.2.0'));
    await (await beginTrial(host, version)).trial?.accept();
  }
  expect(await host.folder.load()).toMatchObject({ current: { version: '0.4.0' }, previous: { version: '0.3.0' } });
  expect((await readdir(host.folder.path)).sort()).toEqual([
    'program.json',
    'quarterdeck-agent-0.3.0',
    'quarterdeck-agent-0.4.0',
  ]);
});

it('rolls back from a version that sends no report in time', async () => {
  const { host } = await hostOnTrial();
  const { trial, lines, restarted } = await beginTrial(host, '0.2.0', 1);
  await restarted;
  expect(lines.join('')).toContain('this version is rolled back');
  expect(await host.folder.load()).toMatchObject({
    current: undefined,
    trial: undefined,
    refused: [{ version: '0.2.0', reason: 'sent no accepted report within 0 s' }],
  });
  // A late report changes nothing.
  await trial?.accept();
  expect((await host.folder.load()).current).toBeUndefined();
});

it('has no trial for an installed or an accepted version', async () => {
  const { host } = await hostOnTrial();
  expect((await beginTrial(host, undefined)).trial).toBeUndefined();
  await (await beginTrial(host, '0.2.0')).trial?.accept();
  expect((await beginTrial(host, '0.2.0')).trial).toBeUndefined();
});

it('tries to note a success again after the next report', async () => {
  const { host } = await hostOnTrial();
  let isFull = true;
  const folder: typeof host.folder = {
    ...host.folder,
    save: (state) => (isFull ? Promise.reject(new Error('ENOSPC')) : host.folder.save(state)),
  };
  const { trial, lines } = await beginTrial({ ...host, folder }, '0.2.0');
  await trial?.accept();
  expect(lines.join('')).toContain('cannot note that this version works');
  isFull = false;
  await trial?.accept();
  expect((await host.folder.load()).current?.version).toBe('0.2.0');
});

it('keeps a version whose report is accepted at the last moment', async () => {
  const { host } = await hostOnTrial();
  const [saving, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const folder: typeof host.folder = {
    ...host.folder,
    async save(state) {
      saving.resolve();
      await mayEnd.promise;
      await host.folder.save(state);
    },
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { trial, lines } = await beginTrial({ ...host, folder }, '0.2.0', 60_000);
  const accepted = trial?.accept();
  await saving.promise;
  vi.advanceTimersByTime(60_000);
  mayEnd.resolve();
  await accepted;
  await trial?.accept();
  expect(lines.join('')).not.toContain('rolled back');
  expect(await host.folder.load()).toMatchObject({ current: { version: '0.2.0' }, trial: undefined, refused: [] });
});
