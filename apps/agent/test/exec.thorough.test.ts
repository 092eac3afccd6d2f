import { existsSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CommandOutput, createExec } from '../src/facts/exec.ts';
import { filesBelow } from '../src/facts/files.ts';
import { readDependency } from '../src/facts/tools.ts';
import type { Command } from '../src/settings/config-values.ts';
import { temporaryFolder } from './temporary.ts';

const never = new AbortController().signal;
const PATH = '/usr/bin:/bin';
const run = (command: Command, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<CommandOutput> =>
  createExec({ path: PATH, signal: never, ...options })(command);
const FAILED = { ok: false, stdout: '', stderr: '' };

describe('exec', () => {
  it('returns what a command prints', async () => {
    const output = await run(['sh', '-c', 'echo out; echo err >&2']);
    expect(output).toEqual({ ok: true, stdout: 'out\n', stderr: 'err\n' });
  });

  it('passes words unchanged, without a shell', async () => {
    const { stdout } = await run(['echo', '$HOME', ';', '`id`', '*']);
    expect(stdout).toBe('$HOME ; `id` *\n');
  });

  it('gives the command a small environment without the settings of the agent', async () => {
    const { stdout } = await run(['env']);
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.filter((name) => name !== '_' && name !== 'PWD' && name !== 'SHLVL').sort()).toEqual([
      'HOME',
      'LC_ALL',
      'PATH',
    ]);
  });

  it('reports a failed command', async () => {
    expect(await run(['sh', '-c', 'echo no; exit 3'])).toEqual({ ok: false, stdout: 'no\n', stderr: '' });
    expect(await run(['no-such-program'])).toEqual(FAILED);
    expect(await run(['/'])).toEqual(FAILED);
  });

  it('keeps the start of endless output and lets the command end', async () => {
    const { ok, stdout } = await run(['sh', '-c', 'yes | head -c 1000000']);
    expect(ok).toBe(true);
    expect(stdout).toHaveLength(16 * 1024);
  });

  it('keeps as much output as is asked for', async () => {
    const exec = createExec({ path: PATH, signal: never });
    const { stdout } = await exec(['sh', '-c', 'yes | head -c 1000000'], { maxBytes: 100_000 });
    expect(stdout).toHaveLength(100_000);
  });

  it.runIf(process.getuid?.() === 0)('runs a command as nobody', async () => {
    const exec = createExec({ path: PATH, signal: never });
    const { stdout } = await exec(['sh', '-c', 'id -u; id -G'], { asNobody: true });
    expect(stdout).toBe('65534\n65534\n');
  });

  it('kills a command that takes too long, with its children', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const file = join(await temporaryFolder(), 'child');
    const script = 'sleep 1000 & echo $! > "$1.new"; mv "$1.new" "$1"; wait';
    const running = run(['sh', '-c', script, 'sh', file], { timeoutMs: 300 });
    await expect.poll(() => existsSync(file)).toBe(true);
    vi.advanceTimersByTime(300);
    expect(await running).toEqual(FAILED);
    // The kernel needs a moment. An ended process has no command line, whether or not its parent has noticed.
    const command = () => filesBelow('/').text(`/proc/${readFileSync(file, 'utf8').trim()}/cmdline`);
    await expect.poll(command).not.toContain('sleep');
  });

  it('kills a running command when the agent stops, and starts no other', async () => {
    const stop = new AbortController();
    const running = run(['sleep', '1000'], { signal: stop.signal });
    stop.abort();
    expect(await running).toEqual(FAILED);
    expect(await run(['echo'], { signal: stop.signal })).toEqual(FAILED);
  });
});

describe('readDependency', () => {
  const tool = (script: string): Command => ['sh', '-c', script];

  it('runs no command that is not configured', async () => {
    const none = { stap: undefined, odb: undefined };
    const exec = () => Promise.reject(new Error('nothing should be run'));
    expect(await readDependency(exec, none)).toEqual({ stap_version: '', odb_version: '' });
  });

  it('takes the first line, from stderr when there is none on stdout', async () => {
    const tools = { stap: tool('echo "Systemtap (version 4.8)" >&2; echo more >&2'), odb: tool('echo; echo odb 1.2') };
    expect(await readDependency((command) => run(command), tools)).toEqual({
      stap_version: 'Systemtap (version 4.8)',
      odb_version: 'odb 1.2',
    });
  });

  it('cuts a long version, and takes none from a command that fails', async () => {
    const tools = { stap: tool('yes x | tr -d "\\n" | head -c 5000'), odb: tool('echo not found; exit 127') };
    expect(await readDependency((command) => run(command), tools)).toEqual({
      stap_version: 'x'.repeat(200),
      odb_version: '',
    });
  });
});

describe('files', () => {
  it('reads files, links and existence', async () => {
    const root = await temporaryFolder();
    await writeFile(join(root, 'a'), 'text');
    await symlink('somewhere', join(root, 'link'));
    const files = filesBelow(root);
    expect(await files.text('/a')).toBe('text');
    expect(await files.link('/link')).toBe('somewhere');
    expect(await files.exists('/a')).toBe(true);
    expect(await files.exists('/b')).toBe(false);
  });

  it('returns empty content for unreadable files, and does not block at a pipe', async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, 'dir'));
    expect(await run(['mkfifo', join(root, 'pipe')])).toMatchObject({ ok: true });
    const files = filesBelow(root);
    for (const path of ['/missing', '/dir', '/pipe', '/a/b/c', `/${'x'.repeat(5000)}`]) {
      expect(await files.text(path)).toBe('');
      expect(await files.link(path)).toBe('');
    }
  });

  it('reads no more than a part of a huge file', async () => {
    const root = await temporaryFolder();
    await writeFile(join(root, 'huge'), Buffer.alloc(2_000_000));
    expect(await filesBelow(root).bytes('/huge')).toHaveLength(256 * 1024);
  });
});
