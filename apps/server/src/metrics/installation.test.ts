import { tmpdir } from 'node:os';
import type { Database } from '@quarterdeck/core/db';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { createInstallationReader } from './installation.ts';

/** A reader over a database that counts three agents and seven deliveries, and its clock. */
function createReader() {
  const row = { label: 'online', n: 3, waiting: 7, dead: 0, oldestMs: null };
  const all = vi.fn(async () => [row]);
  const sql = { all, get: async () => ({ n: 7 }) };
  const db = { read: { sql } } as unknown as Database;
  const clock = { ms: 1_000_000 };
  const now = () => clock.ms;
  const listeningWindow = { moment: () => ({ nowMs: now(), sinceMs: 0 }), kept: () => {}, broken: () => {} };
  const log = pino({ level: 'silent' });
  const reader = createInstallationReader({ db, dataDir: tmpdir(), listeningWindow, now, monotonic: now, log });
  return { reader, all, clock };
}

describe('numbers of the installation', () => {
  it('are read once for scrapes at the same time, and again after 15 seconds', async () => {
    const { reader, all, clock } = createReader();
    await Promise.all([reader.refresh(), reader.refresh(), reader.refresh()]);
    clock.ms += 14_999;
    await reader.refresh();
    // Agents, tokens and deliveries.
    expect(all).toHaveBeenCalledTimes(3);
    expect(reader.latest()).toMatchObject({ agents: { online: 3, offline: 0 }, deliveries: { waiting: 7 } });
    clock.ms += 1;
    await reader.refresh();
    expect(all).toHaveBeenCalledTimes(6);
  });

  it('are left out while they cannot be read, and tried again no sooner', async () => {
    const { reader, all, clock } = createReader();
    await reader.refresh();
    clock.ms += 15_000;
    all.mockRejectedValueOnce(new Error('away'));
    await reader.refresh();
    expect(reader.latest()).toBeUndefined();
    await reader.refresh();
    expect(all).toHaveBeenCalledTimes(4);
    clock.ms += 15_000;
    await reader.refresh();
    expect(reader.latest()?.agents).toMatchObject({ online: 3 });
  });
});
