import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createExec } from '../src/facts/exec.ts';
import { findUnit, UNIT } from '../src/systemd-unit.ts';
import { uninstall } from '../src/uninstall.ts';
import { start } from './agent-process.ts';
import { secretNumber, startFakeConsole } from './fake-console.ts';
import { ENROLL_TOKEN } from './running-agent.ts';
import { temporaryFolder } from './temporary.ts';

const enrolment = (server: string) => ({ server, id: 7, secret: secretNumber(1), interval: 30 });

/** Makes the folder of an agent, with a spool and a file that somebody else has put there. */
async function makeFolder(server: string): Promise<string> {
  const dir = join(await temporaryFolder(), 'agent');
  await mkdir(join(dir, 'spool'), { recursive: true });
  await writeFile(join(dir, 'state.json'), JSON.stringify({ node_id: 'node-1', enrolment: enrolment(server) }));
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

describe('quarterdeck-agent uninstall', () => {
  it('reports its end, removes its state and secret, and says what is left', async () => {
    const server = await startFakeConsole();
    const agentDir = await makeFolder(server.url);
    await writeFile(join(agentDir, 'agent.toml'), '');
    const first = start({ QUARTERDECK_AGENT_DIR: agentDir }, 'uninstall', '--yes');
    expect(await first.ended).toBe(0);
    expect(server.seen).toMatchObject([{ what: 'shutdown', token: secretNumber(1) }]);
    expect(await readdir(agentDir)).toEqual(['agent.toml']);
    expect(first.output()).toContain(`removed: ${join(agentDir, 'state.json')}`);
    expect(first.output()).toContain(`left: ${join(agentDir, 'agent.toml')}`);
    expect(first.output()).not.toContain(secretNumber(1));

    const second = start({ QUARTERDECK_AGENT_DIR: agentDir }, 'uninstall', '--yes');
    expect(await second.ended).toBe(0);
    expect(second.output()).toMatch(/^nothing to remove/);
    expect(server.seen).toHaveLength(1);
  });

  it('asks first, and removes nothing where nobody can answer', async () => {
    const agentDir = await makeFolder('http://127.0.0.1:9');
    const agent = start({ QUARTERDECK_AGENT_DIR: agentDir }, 'uninstall');
    expect(await agent.ended).toBe(2);
    expect(agent.errors()).toContain('give --yes');
    expect(await readdir(agentDir)).toEqual(['spool', 'state.json']);
  });

  it('refuses while the agent runs', async () => {
    const server = await startFakeConsole();
    const agentDir = await temporaryFolder();
    const env = { QUARTERDECK_AGENT_DIR: agentDir, QUARTERDECK_URL: server.url };
    const running = start({ ...env, QUARTERDECK_ENROLL_TOKEN: ENROLL_TOKEN });
    await running.says('"enrolled"');
    const agent = start(env, 'uninstall', '--yes');
    expect(await agent.ended).toBe(2);
    expect(agent.errors()).toContain('stop it first');
    expect(await readdir(agentDir)).toContain('state.json');
    expect(server.seen.map(({ what }) => what)).not.toContain('shutdown');
  });

  it('goes on without the server, and removes a folder that is a link', async () => {
    const real = await makeFolder('http://127.0.0.1:9');
    const agentDir = join(await temporaryFolder(), 'link');
    await symlink(real, agentDir);
    const agent = start({ QUARTERDECK_AGENT_DIR: agentDir }, 'uninstall', '--yes');
    expect(await agent.ended).toBe(0);
    expect(agent.output()).toContain('could not report the end of agent 7 to http://127.0.0.1:9');
    expect(await readdir(join(agentDir, '..'))).toEqual([]);
    expect(await readdir(join(real, '..'))).toEqual([]);
  });

  it('stops and removes its own unit of systemd', async () => {
    const agentDir = await makeFolder('http://127.0.0.1:9');
    const unitText = `[Unit]\nDescription=Quarterdeck agent\n[Service]\nEnvironment=QUARTERDECK_AGENT_DIR=${agentDir}\n`;
    const systemd = await makeSystemd(unitText);
    const unit = await findUnit(agentDir, systemd.exec, systemd.dir);
    const said: string[] = [];
    const options = { serverApi: () => ({ shutdown: async () => undefined }), say: (line: string) => said.push(line) };
    expect(await uninstall({ ...options, agentDir, unit, confirm: async () => false })).toBe(false);
    expect(said.at(-1)).toBe('nothing was removed');
    expect(await uninstall({ ...options, agentDir, unit, confirm: async () => true })).toBe(true);
    expect(await systemd.calls()).toBe(`disable --now ${UNIT}\ndaemon-reload\n`);
    expect(await readdir(systemd.dir)).not.toContain(UNIT);
    expect(said).toContain(`removed: ${agentDir}`);
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
