import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createServerApi } from '../src/api/server-api.ts';
import { createExec } from '../src/facts/exec.ts';
import { findUnit, UNIT } from '../src/systemd-unit.ts';
import { type UninstallOptions, uninstall } from '../src/uninstall.ts';
import { secretNumber, startFakeConsole } from './fake-console.ts';
import { holdLock } from './held-lock.ts';
import { temporaryFolder } from './temporary.ts';

const enrollment = (server: string) => ({ server, id: 7, secret: secretNumber(1), interval: 30 });

/** Makes the folder of an agent, with a spool and a file that somebody else has put there. */
async function makeFolder(server: string): Promise<string> {
  const dir = join(await temporaryFolder(), 'agent');
  await mkdir(join(dir, 'spool'), { recursive: true });
  await writeFile(join(dir, 'state.json'), JSON.stringify({ node_id: 'node-1', enrollment: enrollment(server) }));
  return dir;
}

/** A folder with units, and a program systemctl that writes its arguments into a file. */
async function makeSystemd(unit: string) {
  const dir = await temporaryFolder();
  await writeFile(join(dir, UNIT), unit);
  const called = join(dir, 'called');
  await writeFile(join(dir, 'systemctl'), `#!/bin/sh\necho "$*" >> ${called}\n`, { mode: 0o755 });
  const exec = createExec({ path: `${dir}:/usr/bin:/bin`, signal: new AbortController().signal });
  return { dir, exec, calls: () => readFile(called, 'utf8') };
}

/** Removes the agent of a folder, and returns what was said. */
async function remove(agentDir: string, more: Partial<UninstallOptions> = {}) {
  const said: string[] = [];
  const isRemoved = await uninstall({
    agentDir,
    unit: undefined,
    serverApi: ({ server }) => createServerApi({ url: server, consoleUrl: server, version: '0.1.0' }),
    confirm: async () => true,
    say: (line) => void said.push(line),
    ...more,
  });
  return { isRemoved, said };
}

describe('quarterdeck-agent uninstall', () => {
  it('reports its end, removes its state and secret, and says what is left', async () => {
    const server = await startFakeConsole();
    const agentDir = await makeFolder(server.url);
    await writeFile(join(agentDir, 'agent.toml'), '');
    const { said } = await remove(agentDir);
    expect(server.seen).toMatchObject([{ what: 'shutdown', token: secretNumber(1) }]);
    expect(await readdir(agentDir)).toEqual(['agent.toml']);
    expect(said).toContain(`removed: ${join(agentDir, 'state.json')}`);
    expect(said).toContain(`left: ${join(agentDir, 'agent.toml')}`);
    expect(said.join()).not.toContain(secretNumber(1));

    const again = await remove(agentDir);
    expect(again).toEqual({ isRemoved: true, said: [`nothing to remove: no agent is installed in ${agentDir}`] });
    expect(server.seen).toHaveLength(1);
  });

  it('refuses while the agent runs', async () => {
    const server = await startFakeConsole();
    const agentDir = await makeFolder(server.url);
    await holdLock(agentDir);
    await expect(remove(agentDir)).rejects.toThrow('stop it first');
    expect(await readdir(agentDir)).toContain('state.json');
    expect(server.seen).toEqual([]);
  });

  it('goes on without the server, and removes a folder that is a link', async () => {
    const real = await makeFolder('http://127.0.0.1:9');
    const agentDir = join(await temporaryFolder(), 'link');
    await symlink(real, agentDir);
    const { said } = await remove(agentDir);
    expect(said.join()).toContain('could not report the end of agent 7 to http://127.0.0.1:9');
    expect(await readdir(join(agentDir, '..'))).toEqual([]);
    expect(await readdir(join(real, '..'))).toEqual([]);
  });

  it('stops and removes its own unit of systemd, after a yes', async () => {
    const agentDir = await makeFolder('http://127.0.0.1:9');
    const unitText = `[Unit]\nDescription=Quarterdeck agent\n[Service]\nEnvironment=QUARTERDECK_AGENT_DIR=${agentDir}\n`;
    const systemd = await makeSystemd(unitText);
    const unit = await findUnit(agentDir, systemd.exec, systemd.dir);
    const { isRemoved, said } = await remove(agentDir, { unit, confirm: async () => false });
    expect([isRemoved, said.at(-1)]).toEqual([false, 'nothing was removed']);
    expect(await readdir(agentDir)).toEqual(['spool', 'state.json']);
    expect((await remove(agentDir, { unit })).said).toContain(`removed: ${agentDir}`);
    expect(await systemd.calls()).toBe(`disable --now ${UNIT}\ndaemon-reload\n`);
    expect(await readdir(systemd.dir)).not.toContain(UNIT);
  });

  it('leaves the unit of another agent or program', async () => {
    const { dir, exec } = await makeSystemd('[Unit]\nDescription=Quarterdeck agent\n');
    expect(await findUnit('/var/lib/quarterdeck-agent', exec, dir)).toBeDefined();
    expect(await findUnit('/home/x/agent', exec, dir)).toBeUndefined();
    await writeFile(join(dir, UNIT), '[Unit]\nDescription=Something else\n');
    expect(await findUnit('/var/lib/quarterdeck-agent', exec, dir)).toBeUndefined();
    expect(await findUnit('/var/lib/quarterdeck-agent', exec, join(dir, 'none'))).toBeUndefined();
  });
});
