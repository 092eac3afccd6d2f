import { expect, it, onTestFinished, vi } from 'vitest';
import { createNotifier, standIn } from '../../test/notify-programs.ts';

const PATIENT = { timeout: 50_000 };

it('runs one program at a time, and sends the newest of the values that wait', async () => {
  const { path, calls } = standIn();
  const notifier = createNotifier({ NOTIFY_SOCKET: '@test' }, { path });
  notifier.ready('0');
  for (let number = 1; number <= 50; number += 1) notifier.status(String(number));
  await vi.waitUntil(() => calls().length > 1, PATIENT);
  await notifier.sent();
  expect(calls()).toEqual(['@test READY=1 STATUS=0', '@test STATUS=50']);
});

it('begins the watchdog when the program is ready, with two signs of life in its time', async () => {
  const { path, calls } = standIn();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const notifier = createNotifier({ NOTIFY_SOCKET: '@test', WATCHDOG_USEC: '2000000' }, { path });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(calls()).toEqual([]);
  notifier.ready('works');
  for (let second = 0; second < 4; second += 1) {
    vi.advanceTimersByTime(1_000);
    await notifier.sent();
  }
  expect(
    calls()
      .join('\n')
      .match(/WATCHDOG=1/g),
  ).toHaveLength(4);
});

it('gives up where there is no systemd-notify', async () => {
  const notifier = createNotifier({ NOTIFY_SOCKET: '@test' }, { path: '/nonexistent' });
  notifier.ready('works');
  await vi.waitUntil(() => notifier.failures.length > 0, PATIENT);
  notifier.status('still works');
  await notifier.sent();
  expect(notifier.failures).toEqual(['systemd-notify was not found']);
});

it('starts nothing without a service manager', async () => {
  const { path, calls } = standIn();
  const notifier = createNotifier({ WATCHDOG_USEC: '1000' }, { path });
  notifier.ready('works');
  notifier.stopping('stops');
  await notifier.sent();
  expect(calls()).toEqual([]);
});
