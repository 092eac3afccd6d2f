// Notifiers with the programs of systemd, and with programs that fail.
import { describe, expect, it, vi } from 'vitest';
import { HAS_SYSTEMD, receiveNotifications } from '../../../../test/notify-receiver.ts';
import { createNotifier, standIn } from '../../test/notify-programs.ts';

const PATIENT = { timeout: 50_000 };

describe.skipIf(!HAS_SYSTEMD)('with the systemd-notify of the machine', () => {
  it('reports the start with a status, signs of life and the end', async () => {
    const receiver = await receiveNotifications();
    const notifier = createNotifier({ NOTIFY_SOCKET: receiver.socket, WATCHDOG_USEC: '200000' });
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
    const notifier = createNotifier({ NOTIFY_SOCKET: receiver.socket, WATCHDOG_USEC: '100000' });
    notifier.ready('works');
    await receiver.has('WATCHDOG=1');
    await notifier.sent();
    const before = receiver.messages.length;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    await vi.waitUntil(() => receiver.messages.length > before, PATIENT);
    // Twenty of them would have waited for the reader.
    expect(receiver.messages.length - before).toBeLessThan(4);
  });

  it('sends a status of several lines as one', async () => {
    const receiver = await receiveNotifications();
    createNotifier({ NOTIFY_SOCKET: receiver.socket }).ready('one\nMAINPID=1\r\ntwo');
    await receiver.has('READY=1');
    // The program of systemd sends a barrier behind it.
    expect(receiver.messages[0]).toEqual(['READY=1', 'STATUS=one MAINPID=1 two']);
  });
});

describe('with a stand-in', () => {
  it('sends again what has failed, and reports the failure once', async () => {
    const program = standIn('test "$(wc -l < "$(dirname "$0")/log")" -gt 2');
    const notifier = createNotifier({ NOTIFY_SOCKET: '@test' }, { path: program.path, retryMs: 50 });
    notifier.ready('works');
    await vi.waitUntil(() => program.calls().length >= 3, PATIENT);
    expect(new Set(program.calls())).toEqual(new Set(['@test READY=1 STATUS=works']));
    expect(notifier.failures).toEqual(['systemd-notify ended with 1']);
  });

  it('starts another shell when the first one is killed', async () => {
    const program = standIn('test "$(wc -l < "$(dirname "$0")/log")" -gt 1 || kill -9 $PPID');
    const notifier = createNotifier({ NOTIFY_SOCKET: '@test' }, { path: program.path, retryMs: 50 });
    notifier.ready('works');
    await vi.waitUntil(() => program.calls().length >= 2, PATIENT);
    expect(notifier.failures).toEqual(['the shell of systemd-notify ended with SIGKILL']);
  });

  it('kills a program that hangs', async () => {
    const program = standIn('test "$(wc -l < "$(dirname "$0")/log")" -gt 1 || exec sleep 60');
    const notifier = createNotifier({ NOTIFY_SOCKET: '@test' }, { path: program.path, retryMs: 50, limitMs: 200 });
    notifier.ready('works');
    await vi.waitUntil(() => program.calls().length >= 2, PATIENT);
    expect(notifier.failures).toEqual(['systemd-notify took more than 200 ms']);
  });
});
