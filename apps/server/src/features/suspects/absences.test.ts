import { describe, expect, it } from 'vitest';
import { EventLoopYield } from '../../event-loop-yield.ts';
import { presenceLines, withAbsences } from './absences.ts';
import { rankChanges } from './change-rank.ts';
import { HistoryLines } from './history-lines.ts';

const AT_S = 1_790_000_000;
const AGENTS = [1, 2, 3];
type Entry = readonly [atS: number, kind: string, field?: string, before?: string, after?: string];

/** Ranks the same history of three agents, all of them with an error at second 0, beside ten without it. */
async function ranked(entries: readonly Entry[]) {
  const lines = new HistoryLines();
  for (const agent of AGENTS) {
    for (const [atS, kind, field = '', before = '', after = ''] of entries) {
      const what = JSON.stringify([kind, field, '', before, after, 0, false]);
      lines.add({ agent_id: agent, time_ms: (AT_S + atS) * 1000, what });
    }
  }
  const atMs = AT_S * 1000;
  const spans = AGENTS.map((agent) => ({
    agent,
    fromMs: atMs - 3_600_000,
    atMs,
    toMs: atMs + 1_000,
    reportedMs: atMs + 61_000,
  }));
  const affected = withAbsences(lines, presenceLines(lines), new Map(spans.map((span) => [span.agent, span])), 90_000);
  const query = {
    affected,
    unaffected: 10,
    isUnaffected: (agent: number) => agent > 3,
    withinS: 3_600,
    otherEvidence: Number.NEGATIVE_INFINITY,
    limit: 20,
  };
  const changes = await rankChanges(lines, query, new EventLoopYield());
  return changes.map(({ kind, field, to, before }) => ({ what: `${kind} ${field} ${to}`.trim(), before }));
}

const kernel = (from: string, to: string) => ['changed', 'system_version.kernel', from, to] as const;
const boot = (atS: number) => ['rebooted', 'boot_time', '1', String(AT_S + atS)] as const;

describe('the late return of a host', () => {
  it('tells the change that was made while it was away', async () => {
    const changes = await ranked([
      [-60, 'offline', 'shut_down'],
      [300, 'online'],
      [300, ...boot(-20)],
      [300, ...kernel('1', '2')],
    ]);
    // The host booted twenty seconds before the error.
    expect(changes).toEqual([{ what: 'changed system_version.kernel 2', before: 20 }]);
  });

  it('counts where the agent is found lost after the error began, or not at all', async () => {
    expect(
      await ranked([
        [-60, 'offline', 'shut_down'],
        [300, 'online'],
        [300, ...kernel('1', '2')],
      ]),
    ).toMatchObject([{ what: 'changed system_version.kernel 2', before: 60 }]);
    const found = [{ what: 'changed system_version.kernel 2', before: 0 }];
    expect(
      await ranked([
        [70, 'offline', 'lost'],
        [300, 'online'],
        [300, ...kernel('1', '2')],
      ]),
    ).toEqual(found);
    const told = await ranked([
      [200, ...boot(-20)],
      [200, ...kernel('1', '2')],
    ]);
    expect(told).toMatchObject([{ what: 'changed system_version.kernel 2' }]);
  });

  it.each<[name: string, entries: Entry[]]>([
    ['it was there when the error began', [[300, ...kernel('1', '2')]]],
    [
      'it had come back before',
      [
        [-600, 'offline', 'lost'],
        [-500, 'online'],
        [300, ...kernel('1', '2')],
      ],
    ],
    [
      'it told it after its return',
      [
        [-60, 'offline', 'lost'],
        [200, 'online'],
        [300, ...kernel('1', '2')],
      ],
    ],
    [
      'it went away later',
      [
        [120, 'offline', 'lost'],
        [300, 'online'],
        [300, ...kernel('1', '2')],
      ],
    ],
    [
      'its host booted after the error',
      [
        [-60, 'offline', 'lost'],
        [300, 'online'],
        [300, ...boot(200)],
        [300, ...kernel('1', '2')],
      ],
    ],
    [
      'it comes back much later',
      [
        [-60, 'offline', 'lost'],
        [3_000, 'online'],
        [3_000, ...kernel('1', '2')],
      ],
    ],
  ])('proves nothing if %s', async (_, entries) => {
    expect((await ranked(entries)).map(({ what }) => what)).not.toContain('changed system_version.kernel 2');
  });

  it('does not take a rollback for the cause', async () => {
    const changes = await ranked([
      [-600, ...kernel('1', '2')],
      [-60, 'offline', 'shut_down'],
      [300, 'online'],
      [300, ...kernel('2', '1')],
    ]);
    expect(changes.map(({ what }) => what)).toEqual(['changed system_version.kernel 2']);
  });
});
