import { chown, mkdir, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rollback, upgrade } from '../../src/upgrade/commands.ts';
import { temporaryFolder } from '../temporary.ts';
import { makeHost, stageOffer, startDownloads } from './downloads.ts';
import { beginTrial } from './trials.ts';

/** A host with an offered version, and its commands. */
async function prepare(version = '0.2.0') {
  const downloads = await startDownloads();
  downloads.offer(version);
  const dir = await temporaryFolder();
  const host = await makeHost(downloads, '0.1.0', dir);
  const said: string[] = [];
  const options = { agentDir: dir, installed: host.installed, say: (line: string) => void said.push(line) };
  const settings = { url: downloads.url, keys: [downloads.key], allowOlder: false };
  return {
    downloads,
    host,
    said,
    options,
    upgrade: (more: { checkOnly?: boolean; force?: boolean } = {}) =>
      upgrade({ ...options, settings, checkOnly: false, force: false, ...more }),
  };
}

// The name of the executable of the tests has the processor x64.
describe.runIf(process.arch === 'x64')('quarterdeck-agent upgrade', () => {
  it('gets the offered version for the next start', async () => {
    const { host, said, upgrade } = await prepare();
    await upgrade({ checkOnly: true });
    expect(said).toEqual(['version 0.2.0 is offered; 0.1.0 is in use']);
    expect(await readdir(dirname(host.folder.path))).toEqual([]);
    await upgrade();
    expect(said.at(-1)).toMatch(/^version 0\.2\.0 is downloaded and verified; it runs from the next start/);
    expect((await host.folder.load()).trial?.version).toBe('0.2.0');
    await expect(upgrade()).rejects.toThrow('version 0.2.0 is on trial');
  });

  it('says that the offered version is in use', async () => {
    const { said, upgrade } = await prepare('0.1.0');
    await upgrade();
    expect(said).toEqual(['version 0.1.0 is the offered one']);
  });

  it('needs settings and a folder', async () => {
    const { options } = await prepare();
    const none = upgrade({ ...options, settings: undefined, checkOnly: true, force: false });
    await expect(none).rejects.toThrow(/^QUARTERDECK_AGENT_UPGRADE_URL is not set; allowed: /);
    await expect(rollback({ ...options, agentDir: '/no/such' })).rejects.toThrow('there is no agent in /no/such');
  });
});

describe('quarterdeck-agent rollback', () => {
  it('goes back to the version before, then to the installed one', async () => {
    const { downloads, host, said, options } = await prepare();
    for (const version of ['0.2.0', '0.3.0']) {
      downloads.offer(version);
      await stageOffer(host.upgrader());
      await (await beginTrial(host, version)).trial?.accept();
    }
    await rollback(options);
    expect(said.at(-1)).toMatch(/^version 0\.3\.0 is refused from now on; version 0\.2\.0 is back: /);
    await rollback(options);
    expect(said.at(-1)).toMatch(/^version 0\.2\.0 is refused from now on; version 0\.1\.0 is back: /);
    expect(await readdir(host.folder.path)).toEqual(['program.json']);
    await expect(rollback(options)).rejects.toThrow('nothing to roll back: the installed version runs');
    expect((await host.folder.load()).refused.map(({ version }) => version)).toEqual(['0.3.0', '0.2.0']);
  });

  it('ends a trial', async () => {
    const { host, said, options } = await prepare();
    await stageOffer(host.upgrader());
    await rollback(options);
    expect(said).toEqual([expect.stringMatching(/^version 0\.2\.0 is refused from now on; version 0\.1\.0 is back: /)]);
  });
});

it.runIf(process.geteuid?.() === 0)('runs no file that the folder of another user names', async () => {
  const { host } = await prepare();
  await stageOffer(host.upgrader());
  await mkdir(host.folder.path, { recursive: true });
  await chown(host.folder.path, 65_534, 65_534);
  expect(await host.folder.load()).toEqual({ refused: [] });
});
