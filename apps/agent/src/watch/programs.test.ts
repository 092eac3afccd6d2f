import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { type CommandOutput, createExec, type Exec } from '../facts/exec.ts';
import { describeVersion, programWatcher } from './programs.ts';

const { signal } = new AbortController();
const owner = process.getuid?.() ?? 0;
const NGINX = `nginx version: nginx/1.22.1
built with OpenSSL 3.0.22 25 Aug 2026
TLS SNI support enabled
configure arguments: --with-http_ssl_module`;

/** A host with one program; `output` is the text of its version. */
async function hostWithProgram(words = ['-V']) {
  const dir = await temporaryFolder();
  const path = join(dir, 'nginx');
  await writeFile(path, 'one', { mode: 0o755 });
  await mkdir(join(dir, 'proc'));
  const ran: string[] = [];
  const host = { nowMs: 0, output: { stderr: NGINX } as Partial<CommandOutput> };
  const exec: Exec = async (command, limits) => {
    ran.push(`${command.join(' ')}${limits?.asNobody ? ' as nobody' : ''}`);
    return { ok: true, stdout: '', stderr: '', ...host.output };
  };
  const { look } = programWatcher({
    exec,
    programs: [[path, ...words]],
    now: Date.now,
    monotonicMs: () => host.nowMs,
    proc: join(dir, 'proc'),
    owner,
  });
  return { dir, path, ran, host, look };
}

/** Adds a process to the prepared `/proc`. A container has a number of its own for it. */
async function addProcess(dir: string, id: string, exe: string, isInContainer = false): Promise<void> {
  await mkdir(join(dir, 'proc', id), { recursive: true });
  await writeFile(join(dir, 'proc', id, 'status'), `Name:\tnginx\nNSpid:\t${id}${isInContainer ? '\t1' : ''}\n`);
  await symlink(exe, join(dir, 'proc', id, 'exe'));
}

describe('the version of a program', () => {
  it('names version, library and build', () => {
    expect(describeVersion(NGINX)).toMatch(
      /^nginx\/1\.22\.1, built with OpenSSL 3\.0\.22 25 Aug 2026, build [\da-f]{8}$/,
    );
    expect(describeVersion(`${NGINX} --with-debug`)).not.toBe(describeVersion(NGINX));
    expect(describeVersion('\nHAProxy version 2.6.12\nmore')).toBe('HAProxy version 2.6.12');
  });

  it('is asked for as nobody, and again only after a change or some minutes', async () => {
    const { path, ran, host, look } = await hostWithProgram();
    const first = await look(undefined, signal);
    expect(first.observed[path]).toMatch(/^nginx\/1\.22\.1, .*, sha256 [\da-f]{16}$/);
    expect(await look(first.observed, signal)).toEqual({ ...first, changes: [] });
    expect(ran).toEqual([`${path} -V as nobody`]);

    host.nowMs = 300_000;
    host.output = { stderr: NGINX.replace('3.0.22', '3.0.23') };
    const { changes } = await look(first.observed, signal);
    expect(changes).toMatchObject([{ kind: 'program', field: path, from: first.observed[path] }]);
    expect(changes[0]?.to).toContain('OpenSSL 3.0.23');
    expect(changes[0]).not.toHaveProperty('atMs');
  });

  it('stays as it was while the program cannot be asked', async () => {
    const { host, look } = await hostWithProgram();
    const { observed } = await look(undefined, signal);
    host.nowMs = 300_000;
    host.output = { ok: false };
    expect(await look(observed, signal)).toEqual({ observed, changes: [] });
    host.output = { stderr: NGINX.replace('1.22.1', '1.24.0') };
    expect((await look(observed, signal)).changes[0]?.to).toContain('nginx/1.24.0');
  });

  it('is the error of a program that does not start any more', async () => {
    const { host, look } = await hostWithProgram();
    const { observed } = await look(undefined, signal);
    host.nowMs = 300_000;
    host.output = { ok: false, stderr: 'nginx: error while loading shared libraries: libssl.so.3\n' };
    const { changes } = await look(observed, signal);
    expect(changes[0]?.to).toMatch(/^fails: nginx: error while loading shared libraries: libssl\.so\.3, sha256 /);
  });

  it('changes with the file, at the time of the file', async () => {
    const { dir, path, look } = await hostWithProgram();
    const { observed } = await look(undefined, signal);
    await writeFile(join(dir, 'new'), 'two', { mode: 0o755 });
    await rename(join(dir, 'new'), path);
    const { changes } = await look(observed, signal);
    expect(changes).toMatchObject([{ field: path, from: observed[path], atMs: expect.any(Number) }]);
  });

  it('is not asked for without words, or where others can replace the program', async () => {
    const silent = await hostWithProgram([]);
    expect((await silent.look(undefined, signal)).observed[silent.path]).toMatch(/^sha256 [\da-f]{16}$/);
    const open = await hostWithProgram();
    await chmod(open.path, 0o775);
    await open.look(undefined, signal);
    const folder = await hostWithProgram();
    await chmod(folder.dir, 0o777);
    await folder.look(undefined, signal);
    expect([...silent.ran, ...open.ran, ...folder.ran]).toEqual([]);
  });

  it.runIf(owner === 0)('is not asked for where another user owns the program', async () => {
    const { path, ran, look } = await hostWithProgram();
    await chown(path, 12_345, 0);
    await look(undefined, signal);
    expect(ran).toEqual([]);
  });
});

describe('the running program', () => {
  it('is not the file after the file was replaced, until the restart', async () => {
    const { dir, path, look } = await hostWithProgram();
    await addProcess(dir, '17', path);
    const { observed } = await look(undefined, signal);
    const field = `${path} (running)`;
    expect(observed[field]).toBe(observed[path]?.slice(-'sha256 0123456789abcdef'.length));

    // A real process, because only the kernel keeps the link to a deleted file.
    const program = join(dir, 'sleeper');
    await copyFile('/bin/sleep', program);
    await chmod(program, 0o755);
    const child = spawn(program, ['60']);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    const exec = createExec({ path: '/usr/bin:/bin', signal });
    const real = programWatcher({ exec, programs: [[program]], now: Date.now, monotonicMs: () => 0, owner });
    const before = await real.look(undefined, signal);
    await writeFile(join(dir, 'new'), 'two', { mode: 0o755 });
    await rename(join(dir, 'new'), program);
    const { changes } = await real.look(before.observed, signal);
    const hash = before.observed[program];
    expect(changes).toMatchObject([
      { field: program, from: hash },
      { field: `${program} (running)`, from: hash, to: `${hash}, not the file` },
    ]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const after = await real.look(before.observed, signal);
    expect(after.observed[`${program} (running)`]).toBe('');
  });

  it('is not that of a container', async () => {
    const { dir, path, look } = await hostWithProgram();
    await addProcess(dir, '17', path, true);
    expect((await look(undefined, signal)).observed[`${path} (running)`]).toBe('');
  });

  it('is older than the file by its start, where its executable cannot be seen', async () => {
    const { dir, path, look } = await hostWithProgram();
    const place = join(dir, 'proc/17');
    await mkdir(place);
    await writeFile(join(place, 'comm'), 'nginx\n');
    await writeFile(join(place, 'cmdline'), `nginx: master process ${path} -g daemon on;\0`);
    await writeFile(join(dir, 'proc/uptime'), '1000.00 1.0\n');
    // It started 900 s after the boot, so 100 s ago.
    const stat = (ticks: number) => `17 (a) b) S ${Array.from({ length: 18 }, () => 0).join(' ')} ${ticks} 0 0`;
    await writeFile(join(place, 'stat'), stat(90_000));
    const field = `${path} (running)`;
    const { observed } = await look(undefined, signal);
    expect(observed[field]).toBe('started before the file was written');
    await writeFile(join(place, 'stat'), stat(110_000));
    expect((await look(observed, signal)).changes).toEqual([
      { kind: 'program', field, from: 'started before the file was written', to: 'runs the file' },
    ]);
    await writeFile(join(place, 'cmdline'), '/usr/bin/other\0');
    expect((await look(observed, signal)).observed[field]).toBe('');
  });
});

it('reports a program that was removed', async () => {
  const { dir, path, look } = await hostWithProgram();
  const { observed } = await look(undefined, signal);
  await rename(path, join(dir, 'elsewhere'));
  expect((await look(observed, signal)).changes).toMatchObject([{ field: path, from: observed[path], to: '' }]);
});
