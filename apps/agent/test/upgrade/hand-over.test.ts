import { chmod, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { chooseProgram, TRIAL_STARTS, takeLaunch } from '../../src/upgrade/hand-over.ts';
import { type Host, makeHost, script, stageOffer, startDownloads } from './downloads.ts';
import { beginTrial } from './trials.ts';

/** Chooses as the installed executable does. Returns the version and the words. */
async function choose(host: Host, version = host.installed.version) {
  const said: string[] = [];
  const { folder } = host;
  const installed = { ...host.installed, version };
  const program = await chooseProgram({ folder, installed, say: (line) => said.push(line) });
  return { version: program?.version ?? version, said };
}

/** A host where versions have been downloaded, each accepted. */
async function hostWith(...versions: string[]) {
  const downloads = await startDownloads();
  const host = await makeHost(downloads);
  for (const version of versions) {
    downloads.offer(version);
    await stageOffer(host.upgrader('0.1.0'));
    await choose(host);
    await (await beginTrial(host, version)).trial?.accept();
  }
  return { downloads, host };
}

describe('the installed executable', () => {
  it('runs itself where nothing was downloaded', async () => {
    const { host } = await hostWith();
    expect(await choose(host)).toEqual({ version: '0.1.0', said: [] });
  });

  it('hands over to an accepted version at each start', async () => {
    const { host } = await hostWith('0.2.0');
    for (let n = 0; n < TRIAL_STARTS + 2; n += 1) {
      expect(await choose(host)).toEqual({ version: '0.2.0', said: [] });
    }
  });

  it('rolls back from a version that starts often without a report, and remembers it', async () => {
    const { downloads, host } = await hostWith('0.2.0');
    downloads.offer('0.3.0');
    await stageOffer(host.upgrader('0.2.0'));
    for (let n = 0; n < TRIAL_STARTS; n += 1) expect((await choose(host)).version).toBe('0.3.0');
    const reason = 'started 3 times without an accepted report';
    expect(await choose(host)).toEqual({
      version: '0.2.0',
      said: [`rolls back from version 0.3.0: it ${reason}`],
    });
    expect((await host.folder.load()).refused).toEqual([{ version: '0.3.0', reason }]);
    expect((await readdir(host.folder.path)).sort()).toEqual(['program.json', 'quarterdeck-agent-0.2.0']);
    expect(await choose(host)).toEqual({ version: '0.2.0', said: [] });
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['is missing', (path) => rm(path)],
    ['has a wrong checksum', (path) => writeFile(path, script('6.6.6'))],
    ['cannot be executed here', (path) => chmod(path, 0o600)],
    ['is missing', (path) => rm(path).then(() => symlink('/bin/sh', path))],
  ])('ignores an accepted version whose file %s', async (defect, change) => {
    const { host } = await hostWith('0.2.0', '0.3.0');
    await change(host.folder.fileAt('quarterdeck-agent-0.3.0'));
    // Root may execute every file that anybody may, so the mode counts for root too.
    expect(await choose(host)).toEqual({ version: '0.2.0', said: [`ignores version 0.3.0 ${defect}`] });
    await rm(host.folder.fileAt('quarterdeck-agent-0.2.0'));
    expect((await choose(host)).version).toBe('0.1.0');
  });

  it('rolls back from a version on trial whose file is damaged', async () => {
    const { downloads, host } = await hostWith();
    downloads.offer('0.2.0');
    await stageOffer(host.upgrader());
    await writeFile(host.folder.fileAt('quarterdeck-agent-0.2.0'), '#!/bin/sh\n');
    expect(await choose(host)).toEqual({
      version: '0.1.0',
      said: ['rolls back from version 0.2.0: it has a wrong checksum'],
    });
  });

  it.each(['', '{"refused"', '[]', '{"refused":{}}', '{"current":{"version":"../x"},"refused":0}'])(
    'runs itself where the state is %j',
    async (text) => {
      const { host } = await hostWith('0.2.0');
      await writeFile(host.folder.fileAt('program.json'), text);
      const { version, said } = await choose(host);
      expect(version).toBe('0.1.0');
      expect(said).toEqual([expect.stringContaining('program.json is damaged')]);
    },
  );

  it('ignores a program in the state that is none', async () => {
    const { host } = await hostWith('0.2.0');
    const current = { version: '../../../bin/sh', file: '/bin/sh', sha256: '0'.repeat(64), over: '0.1.0' };
    await writeFile(host.folder.fileAt('program.json'), JSON.stringify({ current, refused: [] }));
    expect(await choose(host)).toEqual({ version: '0.1.0', said: [] });
  });

  it('does not start a version on trial where it cannot count the start', async () => {
    const { downloads, host } = await hostWith();
    downloads.offer('0.2.0');
    await stageOffer(host.upgrader());
    const full = async () => {
      throw new Error('ENOSPC: no space left on device');
    };
    const said: string[] = [];
    const options = { folder: { ...host.folder, save: full }, installed: host.installed };
    expect(await chooseProgram({ ...options, say: (line) => said.push(line) })).toBeUndefined();
    expect(said).toEqual(['does not start version 0.2.0: ENOSPC: no space left on device']);
    expect((await host.folder.load()).trial?.starts).toBe(0);
  });

  it('runs itself once a package has installed a newer version', async () => {
    const { host } = await hostWith('0.2.0');
    expect((await choose(host, '0.3.0')).version).toBe('0.3.0');
    expect((await choose(host, '0.1.1')).version).toBe('0.2.0');
  });

  it('keeps an older version that was taken on purpose, until a package installs another one', async () => {
    const { downloads, host } = await hostWith();
    downloads.offer('0.0.9');
    await stageOffer(host.upgrader('0.1.0', { allowOlder: true }));
    expect((await choose(host)).version).toBe('0.0.9');
    await (await beginTrial(host, '0.0.9')).trial?.accept();
    expect((await choose(host)).version).toBe('0.0.9');
    expect((await choose(host, '0.1.1')).version).toBe('0.1.1');
  });

  it.runIf(process.geteuid?.() === 0)('runs no file of another user', async () => {
    const { chown } = await import('node:fs/promises');
    const { host } = await hostWith('0.2.0');
    await chown(host.folder.fileAt('quarterdeck-agent-0.2.0'), 65_534, 65_534);
    expect(await choose(host)).toEqual({ version: '0.1.0', said: ['ignores version 0.2.0 belongs to another user'] });
    await chown(host.folder.path, 65_534, 65_534);
    expect(await choose(host)).toEqual({ version: '0.1.0', said: [] });
  });
});

it('removes the mark of the launcher from the environment', () => {
  const installed = { path: '/usr/bin/quarterdeck-agent', version: '0.1.0' };
  const env = { QUARTERDECK_AGENT_HANDED_OVER: JSON.stringify({ installed, version: '0.2.0' }), HOME: '/root' };
  const own = { path: '/var/lib/x', version: '0.2.0' };
  expect(takeLaunch(env, own)).toEqual({ installed, downloaded: '0.2.0' });
  expect(env).toEqual({ HOME: '/root' });
  expect(takeLaunch(env, own)).toEqual({ installed: own, downloaded: undefined });
});
