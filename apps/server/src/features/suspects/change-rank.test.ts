import type { AgentEventKind } from '@quarterdeck/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventLoopYield } from '../../event-loop-yield.ts';
import { type RankQuery, rankChanges, scoreOf } from './change-rank.ts';
import { HistoryLines } from './history-lines.ts';
import type { AgentSpan } from './spans.ts';

/** One line of an agent's history. */
interface ChangeRow {
  readonly agent_id: number;
  readonly time_ms: number;
  readonly kind: AgentEventKind;
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

const HOUR_MS = 3_600_000;
const LAG_MS = 60_000;
const AT_MS = 100 * HOUR_MS;

const spanOf = (agent: number, atMs = AT_MS): AgentSpan => ({
  agent,
  fromMs: atMs - HOUR_MS,
  atMs,
  toMs: atMs + 1000,
  reportedMs: atMs + 1000 + LAG_MS,
});
const row = (agent_id: number, kind: AgentEventKind, field = '', after = '', before = ''): ChangeRow => ({
  agent_id,
  time_ms: AT_MS - 600_000,
  kind,
  field,
  before,
  after,
});

/** Agents 1 to `ill` have the error, `well` others do not. */
function rank(ill: number, well: number, rows: readonly ChangeRow[], limit = 20) {
  const query: RankQuery = {
    affected: new Map(Array.from({ length: ill }, (_, i) => [i + 1, spanOf(i + 1)])),
    unaffected: well,
    isUnaffected: (agent) => agent > ill && agent <= ill + well,
    withinS: 3_600,
    limit,
  };
  return ranked(rows, query);
}
/** Ranks lines of history. */
function ranked(rows: readonly ChangeRow[], query: RankQuery) {
  const lines = new HistoryLines();
  for (const { agent_id, time_ms, kind, field, before, after } of rows)
    lines.add({ agent_id, time_ms, what: JSON.stringify([kind, field, before, after]) });
  return rankChanges(lines, query, new EventLoopYield());
}
const agents = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const explained = async (ill: number, well: number, rows: readonly ChangeRow[]) =>
  (await rank(ill, well, rows)).map(({ explanation }) => explanation);

describe('scoreOf', () => {
  it('grows with the share of the affected, falls with that of the others, and few agents prove little', () => {
    const score = (a: number, of: number, b: number, others: number) =>
      scoreOf('changed', { with: a, of }, { with: b, of: others });
    expect(score(40, 40, 0, 960)).toBeCloseTo(41 / 42 - 1 / 962);
    expect(score(1, 1, 0, 999)).toBeLessThan(score(40, 40, 0, 960));
    expect(score(40, 40, 0, 960)).toBeGreaterThan(score(38, 40, 0, 960));
    expect(score(38, 40, 2, 960)).toBeGreaterThan(score(38, 40, 20, 960));
    expect(score(40, 40, 960, 960)).toBe(0);
    expect(score(0, 40, 500, 960)).toBe(0);
    expect(score(40, 40, 0, 0)).toBeGreaterThan(0);
    expect(scoreOf('offline', { with: 40, of: 40 }, { with: 0, of: 9 })).toBeLessThan(score(40, 40, 0, 9));
  });
});

describe('ranked', () => {
  it('takes restarts and reboots for the same change whenever each was', async () => {
    const rows = agents(1, 3).flatMap((agent) => [
      row(agent, 'rebooted', '', `${agent}`),
      row(agent, 'restarted', '', `${agent}`),
    ]);
    expect((await rank(3, 5, rows)).map(({ kind, affected }) => [kind, affected.with])).toEqual([
      ['rebooted', 3],
      ['restarted', 3],
    ]);
  });

  it('takes a change to other values on each for one change, unless one value explains as much', async () => {
    const different = agents(1, 4).map((agent) => row(agent, 'changed', 'hostname', `host-${agent}`));
    expect(await explained(4, 6, different)).toEqual([
      '4 of 4 agents with this error changed hostname to 4 different values within an hour before it; none of 6 others did.',
    ]);
    const mostly = [
      ...agents(1, 7).map((agent) => row(agent, 'changed', 'kernel', '9')),
      row(8, 'changed', 'kernel', '8'),
    ];
    expect((await rank(8, 6, mostly)).map(({ to }) => to)).toEqual(['9', '8']);
  });

  it('takes no notes, marks or goodbyes for a change', async () => {
    const rows = [
      row(1, 'note', 'note', 'x'),
      row(1, 'changed', 'bad_kernel', '9'),
      row(1, 'inactive'),
      row(1, 'deleted'),
    ];
    expect(await rank(1, 1, rows)).toEqual([]);
  });

  it('names the agents by their last such change, however often each made it', async () => {
    const at = (agent: number, timeMs: number, before: string) => ({
      ...row(agent, 'changed', 'libc', '3', before),
      time_ms: AT_MS - timeMs,
    });
    const rows = [at(2, 50_000, '1'), at(1, 40_000, '2'), at(2, 20_000, '2'), at(2, 30_000, '1'), at(1, 60_000, '1')];
    expect((await rank(2, 1, rows))[0]).toMatchObject({
      from: '2',
      affected: { with: 2, of: 2 },
      before: 30,
      agents: [
        { id: 2, time: AT_MS / 1000 - 20 },
        { id: 1, time: AT_MS / 1000 - 40 },
      ],
    });
  });

  it('tells what most of them had before, and nothing where that differs', async () => {
    const same = agents(1, 3).map((agent) => row(agent, 'changed', 'libc', '2.41', agent === 3 ? '2.39' : '2.40'));
    expect((await rank(3, 1, same))[0]).toMatchObject({ from: '2.40', to: '2.41' });
    const differing = agents(1, 2).map((agent) => row(agent, 'changed', 'libc', '2.41', `2.${agent}`));
    expect(await explained(2, 1, differing)).toEqual([
      '2 of 2 agents with this error changed libc to 2.41 within an hour before it; none of 1 other did.',
    ]);
  });

  it.each<[AgentEventKind, string, string, string]>([
    ['rebooted', '', '', 'rebooted'],
    ['restarted', '', '', 'restarted the agent'],
    ['registered', '', '', 'registered'],
    ['restored', '', '', 'came back from deletion'],
    ['online', '', '', 'came online'],
    ['cloned', '', '', 'turned up twice'],
    ['offline', 'lost', '', 'went offline (lost)'],
    ['offline', '', '', 'went offline'],
    ['settings', 'autorun_tools', 'true', 'changed the setting autorun_tools to true'],
    ['labels', 'site', 'north', 'changed the label site to north'],
    ['labels', '', 'site=north', 'changed labels to site=north'],
    ['maintenance', '', 'true', 'changed maintenance to true'],
    ['operation', 'upgrade', 'succeeded', 'had the operation upgrade succeeded'],
    ['changed', 'ip', '', 'changed ip'],
  ])('says of %s %s %s: %s', async (kind, field, after, actionOf) => {
    expect(await explained(1, 2, [row(1, kind, field, after)])).toEqual([
      `The only agent with this error ${actionOf} within an hour before it; none of 2 others did.`,
    ]);
  });

  it('counts like a plain count, whatever the fleet did', async () => {
    const kinds: AgentEventKind[] = ['changed', 'rebooted', 'settings', 'offline'];
    const anyRow = fc.record({
      agent_id: fc.integer({ min: 1, max: 12 }),
      time_ms: fc.integer({ min: AT_MS - 3 * HOUR_MS, max: AT_MS + 3 * HOUR_MS }),
      kind: fc.constantFrom(...kinds),
      field: fc.constantFrom('kernel', 'libc'),
      before: fc.constantFrom('', '1'),
      after: fc.constantFrom('2', '3'),
    });
    const onsets = fc.uniqueArray(
      fc.record({
        agent: fc.integer({ min: 1, max: 8 }),
        atMs: fc.integer({ min: AT_MS - HOUR_MS, max: AT_MS + HOUR_MS }),
      }),
      { selector: ({ agent }) => agent, minLength: 1 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 80 }), onsets, async (rows, errors) => {
        const affected = new Map(errors.map(({ agent, atMs }) => [agent, spanOf(agent, atMs)]));
        // Agent 12 is of another time.
        const isUnaffected = (agent: number) => agent !== 12 && !affected.has(agent);
        const query: RankQuery = { affected, unaffected: 11 - affected.size, isUnaffected, withinS: 3_600, limit: 100 };
        const changes = await ranked(rows, query);
        for (const { kind, field, to, affected: ill, unaffected: well, first, last } of changes) {
          const same = rows.filter((one) => isSame(one, kind, field, to));
          const mine = same.filter((one) => isWithin(one, affected.get(one.agent_id)));
          const others = same.filter(
            (one) => isUnaffected(one.agent_id) && [...affected.values()].some((span) => isWithin(one, span)),
          );
          expect(ill).toEqual({ with: new Set(mine.map((one) => one.agent_id)).size, of: affected.size });
          expect(well).toEqual({ with: new Set(others.map((one) => one.agent_id)).size, of: query.unaffected });
          expect(mine.map((one) => Math.floor(one.time_ms / 1000))).toEqual(expect.arrayContaining([first, last]));
        }
        // Nothing that an affected agent did in time is left out.
        for (const one of rows.filter((each) => isWithin(each, affected.get(each.agent_id)))) {
          expect(changes.some(({ kind, field, to }) => isSame(one, kind, field, to))).toBe(true);
        }
        expect(changes.map(({ score }) => score)).toEqual(changes.map(({ score }) => score).toSorted((a, b) => b - a));
      }),
      { numRuns: 300 },
    );
  });
});

/** Plainly: whether a row is of a ranked change. An empty `to` is whatever. */
const isSame = (one: ChangeRow, kind: string, field: string, to: string) =>
  one.kind === kind && (kind === 'rebooted' || (one.field === field && (to === '' || one.after === to)));

/** Plainly: whether a row is in the time before an error. */
function isWithin({ time_ms, kind }: ChangeRow, span: AgentSpan | undefined): boolean {
  if (span === undefined) return false;
  const isReported = kind === 'changed' || kind === 'rebooted';
  return time_ms >= span.fromMs && time_ms < (isReported ? span.reportedMs : span.toMs);
}
