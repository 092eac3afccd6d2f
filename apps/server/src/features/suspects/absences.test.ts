import { EventLoopYield } from '@quarterdeck/core/threads';
import { describe, expect, it } from 'vitest';
import { presenceLines, withAbsences } from './absences.ts';
import { rankChanges } from './change-rank.ts';
import { HistoryLines } from './history-lines.ts';
import { errorWords } from './word-evidence.ts';

const AT_S = 1_790_000_000;
const AGENTS = [1, 2, 3];
/** Facts in a history: `kernel 1 2` is a change of the version, `boot -20` a boot 20 seconds before the error. */
const FACTS: Readonly<Record<string, (first: string, second: string) => readonly string[]>> = {
  kernel: (from, to) => ['changed', 'system_version.kernel', from, to],
  boot: (atS) => ['rebooted', 'boot_time', '1', String(AT_S + Number(atS))],
};

/**
 * Ranks the same history of three agents, all of them with an error at second 0, beside ten without it. An entry is its
 * second, its kind and its field.
 */
async function ranked(...entries: readonly string[]) {
  const lines = new HistoryLines();
  for (const agent of AGENTS) {
    for (const entry of entries) {
      const [atS = '', name = '', first = '', second = ''] = entry.split(' ');
      const [kind, field = '', before = '', after = ''] = FACTS[name]?.(first, second) ?? [name, first];
      const what = JSON.stringify([kind, field, '', before, after, 0, false]);
      lines.add({ id: lines.size, agent_id: agent, time_ms: (AT_S + Number(atS)) * 1000, what });
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
    error: errorWords(''),
    diffsOf: async () => new Map(),
    limit: 20,
  };
  const changes = await rankChanges(lines, query, new EventLoopYield());
  return changes.map(({ kind, field, to, before }) => ({ what: `${kind} ${field} ${to}`.trim(), before }));
}

const KERNEL = 'changed system_version.kernel 2';

describe('the late return of a host', () => {
  it('tells the change that was made while it was away', async () => {
    // The host booted twenty seconds before the error.
    const changes = await ranked('-60 offline shut_down', '300 online', '300 boot -20', '300 kernel 1 2');
    expect(changes).toEqual([{ what: KERNEL, before: 20 }]);
  });

  it('counts where the agent is found lost after the error began, or not at all', async () => {
    const before = await ranked('-60 offline shut_down', '300 online', '300 kernel 1 2');
    expect(before).toEqual([{ what: KERNEL, before: 60 }]);
    expect(await ranked('70 offline lost', '300 online', '300 kernel 1 2')).toEqual([{ what: KERNEL, before: 0 }]);
    expect(await ranked('200 boot -20', '200 kernel 1 2')).toMatchObject([{ what: KERNEL }]);
  });

  it.each([
    ['it was there when the error began', '300 kernel 1 2'],
    ['it had come back before', '-600 offline lost', '-500 online', '300 kernel 1 2'],
    ['it reported it after its return', '-60 offline lost', '200 online', '300 kernel 1 2'],
    ['it went away later', '120 offline lost', '300 online', '300 kernel 1 2'],
    ['its host booted after the error', '-60 offline lost', '300 online', '300 boot 200', '300 kernel 1 2'],
    ['it comes back much later', '-60 offline lost', '3000 online', '3000 kernel 1 2'],
  ])('proves nothing if %s', async (_, ...entries) => {
    expect((await ranked(...entries)).map(({ what }) => what)).not.toContain(KERNEL);
  });

  it('does not take a rollback for the cause', async () => {
    const changes = await ranked('-600 kernel 1 2', '-60 offline shut_down', '300 online', '300 kernel 2 1');
    expect(changes.map(({ what }) => what)).toEqual([KERNEL]);
  });
});
