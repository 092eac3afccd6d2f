import { describe, expect, it } from 'vitest';
import { backupCause, channelCause, databaseCause, diskCause, dropsCause } from './health-causes.ts';
import type { LostLines } from './lost-lines.repo.ts';

const GIB = 1024 ** 3;
const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 31, 3, 10);

describe('the cause disk', () => {
  const titleOf = (free: number, total: number, isOpen = false) =>
    diskCause({ freeBytes: free * GIB, totalBytes: total * GIB }, isOpen, NOW_MS)?.title;

  it('is below a tenth of a small disk, and below a gibibyte of a large one', () => {
    expect(titleOf(0.5, 4)).toBeUndefined();
    expect(titleOf(0.39, 4)).toBe('Disk almost full: 399 MiB of 4.0 GiB are free for the data of this server');
    expect(titleOf(1, 100)).toBeUndefined();
    expect(titleOf(0.99, 100)).toBe('Disk almost full: 1013 MiB of 100.0 GiB are free for the data of this server');
  });

  it('ends when a quarter more is free, so that it does not flap', () => {
    expect(titleOf(1.2, 100, true)).toBeDefined();
    expect(titleOf(1.25, 100, true)).toBeUndefined();
  });
});

describe('the cause database', () => {
  const failure = (fromS: number, untilS: number) => ({
    fromMs: NOW_MS + fromS * 1000,
    untilMs: NOW_MS + untilS * 1000,
    reason: 'The database cannot be reached.',
  });

  it('reports how long the database was away, when it is back', () => {
    const cause = databaseCause([failure(-230, -30)], NOW_MS);
    expect(cause?.title).toBe('The database did not answer for 3 min 20 s, until 2026-01-31 03:09 UTC');
    expect(cause?.detail).toMatchObject({ away_s: 200, failures: [{ reason: 'The database cannot be reached.' }] });
    expect(cause?.sinceMs).toBe(NOW_MS - 230_000);
  });

  it('needs a minute, adds up short failures, and ends when all is calm', () => {
    expect(databaseCause([failure(-60, -10)], NOW_MS)).toBeUndefined();
    expect(databaseCause([failure(-200, -160), failure(-60, -30)], NOW_MS)?.title).toContain('1 min 10 s, in 2 parts');
    expect(databaseCause([failure(-900, -301)], NOW_MS)).toBeUndefined();
  });
});

describe('the cause drops', () => {
  const loss = (stage: LostLines['stage'], source: string, lines: number): LostLines => ({
    stage,
    src: 1,
    source,
    lines,
    fromMs: NOW_MS - lines,
    untilMs: NOW_MS,
  });

  it('adds up lines by reason and by source', () => {
    expect(dropsCause([])).toBeUndefined();
    expect(dropsCause([loss('udp', '', 1200), loss('quota', 'web-1', 30), loss('quota', 'web-2', 4)])).toEqual({
      key: 'drops',
      title: '1,234 log lines lost within minutes, most because more datagrams came than this server could take',
      detail: {
        lines: 1234,
        stages: [
          { name: 'udp', lines: 1200 },
          { name: 'quota', lines: 34 },
        ],
        sources: [
          { name: 'web-1', lines: 30 },
          { name: 'web-2', lines: 4 },
        ],
        check: expect.any(String),
      },
      sinceMs: NOW_MS - 1200,
    });
  });
});

describe('the cause backup', () => {
  const startedMs = NOW_MS - 30 * HOUR_MS;

  it('is a good backup that is too old, or none at all', () => {
    const titleOf = (lastMs: number | undefined, began = startedMs) =>
      backupCause({ lastMs, error: undefined }, began, NOW_MS)?.title;
    expect(titleOf(NOW_MS - 25 * HOUR_MS)).toBeUndefined();
    expect(titleOf(NOW_MS - 27 * HOUR_MS)).toBe(
      'No backup for more than 1 d 2 h: the last good one is of 2026-01-30 00:10 UTC',
    );
    expect(titleOf(undefined)).toBe('No backup for more than 1 d 2 h: there is no good one');
    expect(titleOf(undefined, NOW_MS)).toBeUndefined();
  });

  it('is a backup that failed', () => {
    const error = { sinceMs: NOW_MS - 60_000, message: 'The folder is full.' };
    expect(backupCause({ lastMs: NOW_MS - HOUR_MS, error }, startedMs, NOW_MS)).toMatchObject({
      title: 'The backup failed: The folder is full; the last good one is of 2026-01-31 02:10 UTC',
      sinceMs: NOW_MS - 60_000,
    });
  });
});

describe('the cause of a channel', () => {
  it('names the channel and the time', () => {
    expect(channelCause({ id: 3, name: 'ops', sinceMs: NOW_MS })).toMatchObject({
      key: 'channel:3',
      title: 'Channel "ops" has delivered nothing since 2026-01-31 03:10 UTC',
      sinceMs: NOW_MS + HOUR_MS,
    });
  });
});
