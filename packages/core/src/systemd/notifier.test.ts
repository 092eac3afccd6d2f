import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HAS_SYSTEMD, receiveNotifications } from '../../../../test/notify-receiver.ts';
import { type NotifierOptions, notifierFor } from './notifier.ts';
import { takeService } from './service.ts';

const SYSTEM_PATH = '/usr/bin:/bin';

function create(env: NodeJS.ProcessEnv, options: Partial<NotifierOptions> = {}) {
  const failures: string[] = [];
  const onFailure = ({ message }: Error) => void failures.push(message);
  const notifier = notifierFor(takeService(env), { path: SYSTEM_PATH, onFailure, ...options });
  onTestFinished(() => notifier.close());
  return { ...notifier, failures };
}

/** A program in place of `systemd-notify` that logs its beginnings and runs a script; `path` finds it. */
function standIn(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'systemd-notify-'));
  const file = join(folder, 'systemd-notify');
  const log = join(folder, 'log');
  writeFileSync(file, `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${log}\n${script}\n`);
  chmodSync(file, 0o755);
  const calls = () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []);
  return { folder, path: `${folder}:${SYSTEM_PATH}`, calls };
}

describe.skipIf(!HAS_SYSTEMD)('with the systemd-notify of the machine', () => {
  it('reports the start with a status, signs of life and the end', async () => {
    const receiver = await receiveNotifications();
    const notifier = create({ NOTIFY_SOCKET: receiver.socket, WATCHDOG_USEC: '200000' });
    notifier.ready('answers at http://127.0.0.1:7080');
    await receiver.has('READY=1');
    await receiver.has('WATCHDOG=1');
    notifier.stopping('stops');
    await receiver.has('STOPPING=1');
    expect(receiver.messages[0]).toEqual(['READY=1', 'STATUS=answers at http://127.0.0.1:7080']);
    expect(receiver.messages.flat()).toContain('STATUS=stops');
    expect(notifier.failures).toEqual([]);
  });

  it('gives no sign of life while the event loop is blocked', async () => {
    const receiver = await receiveNotifications();
    const notifier = create({ NOTIFY_SOCKET: receiver.socket, WATCHDOG_USEC: '100000' });
    notifier.ready('works');
    await receiver.has('WATCHDOG=1');
    await notifier.sent();
    const before = receiver.messages.length;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    await vi.waitUntil(() => receiver.messages.length > before);
    // Twenty of them would have waited for the reader.
    expect(receiver.messages.length - before).toBeLessThan(4);
  });

  it('sends a status of several lines as one', async () => {
    const receiver = await receiveNotifications();
    create({ NOTIFY_SOCKET: receiver.socket }).ready('one\nMAINPID=1\r\ntwo');
    await receiver.has('READY=1');
    // The program of systemd sends a barrier behind it.
    expect(receiver.messages[0]).toEqual(['READY=1', 'STATUS=one MAINPID=1 two']);
  });
});

describe('with a stand-in', () => {
  it('runs one program at a time, and sends the newest of the values that wait', async () => {
    const program = standIn('sleep 0.2');
    const notifier = create({ NOTIFY_SOCKET: '@test' }, { path: program.path });
    notifier.ready('0');
    for (let number = 1; number <= 50; number += 1) notifier.status(String(number));
    await notifier.sent();
    expect(program.calls()).toEqual(['@test READY=1 STATUS=0', '@test STATUS=50']);
  });

  it('begins the watchdog when the program is ready, with two signs of life in its time', async () => {
    const program = standIn('');
    const notifier = create({ NOTIFY_SOCKET: '@test', WATCHDOG_USEC: '2000000' }, { path: program.path });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(program.calls()).toEqual([]);
    notifier.ready('works');
    for (let second = 0; second < 4; second += 1) {
      vi.advanceTimersByTime(1_000);
      await notifier.sent();
    }
    expect(
      program
        .calls()
        .join('\n')
        .match(/WATCHDOG=1/g),
    ).toHaveLength(4);
  });

  it('sends again what has failed, and reports the failure once', async () => {
    const program = standIn('test "$(wc -l < "$(dirname "$0")/log")" -gt 2');
    const notifier = create({ NOTIFY_SOCKET: '@test' }, { path: program.path, retryMs: 50 });
    notifier.ready('works');
    await vi.waitUntil(() => program.calls().length >= 3, { timeout: 10_000 });
    expect(new Set(program.calls())).toEqual(new Set(['@test READY=1 STATUS=works']));
    expect(notifier.failures).toEqual(['systemd-notify ended with 1']);
  });

  it('starts another shell when the first one is killed', async () => {
    const program = standIn('test "$(wc -l < "$(dirname "$0")/log")" -gt 1 || kill -9 $PPID');
    const notifier = create({ NOTIFY_SOCKET: '@test' }, { path: program.path, retryMs: 50 });
    notifier.ready('works');
    await vi.waitUntil(() => program.calls().length >= 2, { timeout: 10_000 });
    expect(notifier.failures).toEqual(['the shell of systemd-notify ended with SIGKILL']);
  });

  it('kills a program that hangs', async () => {
    const program = standIn('test "$(wc -l < "$(dirname "$0")/log")" -gt 1 || exec sleep 60');
    const notifier = create({ NOTIFY_SOCKET: '@test' }, { path: program.path, retryMs: 50, limitMs: 200 });
    notifier.ready('works');
    await vi.waitUntil(() => program.calls().length >= 2, { timeout: 10_000 });
    expect(notifier.failures).toEqual(['systemd-notify took more than 200 ms']);
  });

  it('gives up where there is no systemd-notify', async () => {
    const notifier = create({ NOTIFY_SOCKET: '@test' }, { path: '/nonexistent' });
    notifier.ready('works');
    await notifier.sent();
    notifier.status('still works');
    await notifier.sent();
    expect(notifier.failures).toEqual(['systemd-notify was not found']);
  });

  it('starts nothing without a service manager', async () => {
    const program = standIn('');
    const notifier = create({ WATCHDOG_USEC: '1000' }, { path: program.path });
    notifier.ready('works');
    notifier.stopping('stops');
    await notifier.sent();
    expect(program.calls()).toEqual([]);
  });
});
