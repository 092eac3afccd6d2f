import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import type { CommandOutput, Exec } from '../facts/exec.ts';
import { packageWatcher } from './packages.ts';

const { signal } = new AbortController();
const DPKG = '/var/lib/dpkg/status';
const AT = new Date('2026-03-01T10:00:00Z');
const noCommand: Exec = () => Promise.reject(new Error('no command may run'));

async function place(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
  await utimes(join(root, path), AT, AT);
}

const record = (name: string, version: string, status = 'install ok installed', architecture = 'amd64') =>
  `Package: ${name}\nStatus: ${status}\nArchitecture: ${architecture}\nVersion: ${version}\n` +
  `Depends: libc6\nDescription: text\n Version: 0\n Package: none\n`;

describe('packages of dpkg', () => {
  it('finds what was installed, removed and upgraded, at the time of the database', async () => {
    const root = await temporaryFolder();
    const { look } = packageWatcher({ exec: noCommand, root });
    await place(root, DPKG, [record('nginx', '1.22.1-9'), record('curl', '7.88'), record('libc6', '2.36')].join('\n'));
    const first = await look(undefined, signal);
    expect(first.changes).toEqual([]);

    await place(root, DPKG, [record('nginx', '1.24.0-1'), record('libc6', '2.36'), record('jq', '1.6')].join('\n'));
    const { changes } = await look(first.observed, signal);
    const change = { kind: 'package', atMs: AT.getTime() };
    expect(changes).toEqual([
      { ...change, field: 'nginx', from: '1.22.1-9', to: '1.24.0-1' },
      { ...change, field: 'curl', from: '7.88', to: '' },
      { ...change, field: 'jq', from: '', to: '1.6' },
    ]);
  });

  it('counts a package as removed when only its configuration is left', async () => {
    const root = await temporaryFolder();
    const { look } = packageWatcher({ exec: noCommand, root });
    await place(root, DPKG, record('nginx', '1'));
    const { observed } = await look(undefined, signal);
    await place(root, DPKG, record('nginx', '1', 'deinstall ok config-files'));
    expect((await look(observed, signal)).changes).toMatchObject([{ field: 'nginx', from: '1', to: '' }]);
  });

  it('reports one upgrade of a package that is there for two architectures', async () => {
    const root = await temporaryFolder();
    const { look } = packageWatcher({ exec: noCommand, root });
    const both = (version: string) => `${record('libc6', version)}\n${record('libc6', version, undefined, 'i386')}`;
    await place(root, DPKG, both('2.36'));
    const { observed } = await look(undefined, signal);
    await place(root, DPKG, both('2.37'));
    expect((await look(observed, signal)).changes).toMatchObject([{ field: 'libc6', from: '2.36', to: '2.37' }]);
  });

  it('does not read a database that is unchanged', async () => {
    const root = await temporaryFolder();
    const { look } = packageWatcher({ exec: noCommand, root });
    await place(root, DPKG, record('nginx', '1'));
    const { observed } = await look(undefined, signal);
    const other = { ...observed, curl: 'only here' };
    expect((await look(other, signal)).observed).toBe(other);
  });

  it('keeps the last observation while the database is away', async () => {
    const root = await temporaryFolder();
    const { look } = packageWatcher({ exec: noCommand, root });
    await place(root, DPKG, record('nginx', '1'));
    const { observed } = await look(undefined, signal);
    await rm(join(root, DPKG));
    await expect(look(observed, signal)).rejects.toThrow('has gone');
  });

  it('joins more than 200 changes into one', async () => {
    const root = await temporaryFolder();
    const { look } = packageWatcher({ exec: noCommand, root });
    const all = (version: string) => Array.from({ length: 300 }, (_, at) => record(`p${at}`, version)).join('\n');
    await place(root, DPKG, `${all('1')}\n${record('old', '1')}\n${record('older', '1')}`);
    const { observed } = await look(undefined, signal);
    await place(root, DPKG, `${all('2')}\n${record('new', '1')}`);
    expect((await look(observed, signal)).changes).toMatchObject([
      { field: 'packages', from: '', to: '1 added, 2 removed, 300 changed' },
    ]);
  });

  it('cleans and cuts hostile text', async () => {
    const root = await temporaryFolder();
    await place(root, DPKG, record('a\u001b[2J', '9'.repeat(100_000)));
    const { observed } = await packageWatcher({ exec: noCommand, root }).look(undefined, signal);
    const [[name, version] = []] = Object.entries(observed);
    expect(name).toBe('a [2J');
    expect(version).toHaveLength(120);
  });
});

describe('packages of apk', () => {
  it('finds an upgrade', async () => {
    const root = await temporaryFolder();
    const { look } = packageWatcher({ exec: noCommand, root });
    const database = (version: string) =>
      `C:Q1x=\nP:musl\nV:1.2.5-r0\n\nC:Q1y=\nP:nginx\nV:${version}\nA:x86_64\nF:etc\n`;
    await place(root, '/lib/apk/db/installed', database('1.26.1-r0'));
    const { observed } = await look(undefined, signal);
    expect(observed).toMatchObject({ musl: '1.2.5-r0', nginx: '1.26.1-r0' });
    await place(root, '/lib/apk/db/installed', database('1.26.2-r0'));
    const { changes } = await look(observed, signal);
    expect(changes).toMatchObject([{ field: 'nginx', from: '1.26.1-r0', to: '1.26.2-r0' }]);
  });
});

describe('packages of rpm', () => {
  const DATABASE = '/var/lib/rpm/rpmdb.sqlite';
  const command = 'rpm -qa --qf %{NAME}\\t%|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\\n';

  async function rpmHost() {
    const root = await temporaryFolder();
    const ran: string[] = [];
    const host: { output: Partial<CommandOutput> } = { output: {} };
    const exec: Exec = async (words) => {
      ran.push(words.join(' '));
      return { ok: true, stdout: '', stderr: '', ...host.output };
    };
    return { root, ran, host, look: packageWatcher({ exec, root }).look };
  }

  it('asks rpm when its database has changed, and only then', async () => {
    const { root, ran, host, look } = await rpmHost();
    await place(root, DATABASE, 'one');
    host.output = { stdout: 'nginx\t1:1.20-1.el9\ngpg-pubkey\t1-2\nkernel\t5.14-2\nkernel\t5.14-1\n' };
    const first = await look(undefined, signal);
    expect(first.observed).toMatchObject({ nginx: '1:1.20-1.el9', kernel: '5.14-1, 5.14-2' });
    expect(first.observed).not.toHaveProperty('gpg-pubkey');
    await place(root, `${DATABASE}-wal`, '');
    await look(first.observed, signal);
    expect(ran).toEqual([command]);

    await place(root, `${DATABASE}-wal`, 'written');
    host.output = { stdout: 'nginx\t1:1.20-2.el9\nkernel\t5.14-2\n' };
    expect((await look(first.observed, signal)).changes).toMatchObject([
      { field: 'nginx', from: '1:1.20-1.el9', to: '1:1.20-2.el9' },
      { field: 'kernel', from: '5.14-1, 5.14-2', to: '5.14-2' },
    ]);
  });

  it('keeps the last observation when rpm fails', async () => {
    const { root, host, look } = await rpmHost();
    await place(root, DATABASE, 'one');
    host.output = { ok: false };
    await expect(look(undefined, signal)).rejects.toThrow('rpm -qa failed');
  });
});

it('finds nothing on a host without a package manager', async () => {
  const { look } = packageWatcher({ exec: noCommand, root: await temporaryFolder() });
  expect(await look(undefined, signal)).toEqual({ observed: {}, changes: [] });
});
