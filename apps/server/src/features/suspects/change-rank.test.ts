import type { AgentEventKind } from '@quarterdeck/core';
import { EventLoopYield } from '@quarterdeck/core/threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../../../test/thoroughness.ts';
import { type RankQuery, rankChanges } from './change-rank.ts';
import { HistoryLines } from './history-lines.ts';
import type { AgentSpan } from './spans.ts';
import { errorWords } from './word-evidence.ts';

/** One line of an agent's history. */
interface ChangeRow {
  readonly agent_id: number;
  readonly time_ms: number;
  readonly kind: AgentEventKind;
  readonly field: string;
  readonly before: string;
  readonly after: string;
  readonly name?: string;
}

const HOUR_MS = 3_600_000;
const LAG_MS = 60_000;
const WHOLE = {
  withinS: 3_600,
  otherEvidence: Number.NEGATIVE_INFINITY,
  error: errorWords(''),
  diffsOf: async () => new Map(),
};
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
    ...WHOLE,
    limit,
  };
  return ranked(rows, query);
}
/** Ranks lines of history. */
function ranked(rows: readonly ChangeRow[], query: RankQuery) {
  const lines = new HistoryLines();
  for (const [id, { agent_id, time_ms, kind, field, before, after, name = '' }] of rows.entries())
    lines.add({ id, agent_id, time_ms, what: JSON.stringify([kind, field, name, before, after, 0, false]) });
  return rankChanges(lines, query, new EventLoopYield());
}
const agents = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const explained = async (ill: number, well: number, rows: readonly ChangeRow[]) =>
  (await rank(ill, well, rows)).map(({ explanation }) => explanation);

describe('ranked', () => {
  it('takes restarts and reboots for the same change whenever each was', async () => {
    const rows = agents(1, 3).flatMap((agent) => [
      row(agent, 'rebooted', '', `${agent}`),
      row(agent, 'restarted', '', `${agent}`),
    ]);
    const changes = await rank(3, 5, rows);
    expect(changes).toMatchObject([{ kind: 'rebooted', affected: { with: 3 }, with: [{ kind: 'restarted' }] }]);
  });

  it('takes a program that stops, and a registration, for less than a change', async () => {
    const change = agents(1, 3).map((agent) => row(agent, 'package', 'libnginx-mod-http-echo', '1:9.0-1', '1:0.63-4'));
    const stop = agents(1, 3).map((agent) => row(agent, 'program', '/usr/sbin/nginx (running)', '', 'sha256 1'));
    expect(await rank(3, 5, [...stop, ...change])).toMatchObject([{ kind: 'package', with: [{ kind: 'program' }] }]);
    const alone = await rank(3, 5, stop);
    expect(alone).toMatchObject([{ kind: 'program', strength: 'weak' }]);
    expect(alone[0]?.explanation).toContain('no longer ran /usr/sbin/nginx within');
    const apart = change.map((line) => ({ ...line, time_ms: line.time_ms - 300_000 }));
    expect((await rank(3, 5, [...stop, ...apart]))[0]?.kind).toBe('package');
    const disk = agents(1, 3).map((agent) => ({ ...row(agent, 'disk', '/'), time_ms: AT_MS - 700_000 }));
    const registered = agents(1, 3).map((agent) => ({ ...row(agent, 'registered'), time_ms: AT_MS - 500_000 }));
    expect((await rank(3, 5, [...registered, ...disk]))[0]?.kind).toBe('disk');
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

  it('takes a change back to an earlier value for less than another change', async () => {
    const at = (agent: number, beforeS: number, field: string, before: string, after: string) => ({
      ...row(agent, 'config', field, after, before),
      time_ms: AT_MS - beforeS * 1000,
    });
    const repaired = agents(1, 3).flatMap((agent) => [
      at(agent, 900, '/etc/repaired', `${agent}a`, `${agent}b`),
      at(agent, 200, '/etc/repaired', `${agent}b`, `${agent}a`),
    ]);
    const other = agents(1, 3).map((agent) => at(agent, 600, '/etc/other', `${agent}a`, `${agent}b`));
    expect((await rank(3, 5, [...other, ...repaired])).map(({ field }) => field)).toEqual([
      '/etc/other',
      '/etc/repaired',
    ]);
    // Values that all hosts have in common are over, too, once they were taken back.
    const shared = repaired.map((change) => ({ ...change, before: 'a', after: 'b' }));
    const back = shared.map((change, i) => (i % 2 === 0 ? change : { ...change, before: 'b', after: 'a' }));
    const found = await rank(3, 5, [...other, ...back]);
    expect(found.map(({ field, to }) => `${field} ${to}`)).toEqual([
      '/etc/other ',
      '/etc/repaired a',
      '/etc/repaired b',
    ]);
    // Without the earlier change, the later of the two explains more.
    const later = repaired.filter((_, i) => i % 2 === 1);
    expect((await rank(3, 5, [...other, ...later])).map(({ field }) => field)).toEqual(['/etc/repaired', '/etc/other']);
  });

  it('does not take the repair after an error for its time, nor repaired hosts for unaffected ones', async () => {
    const at = (agent: number, afterS: number, before: string, after: string) => ({
      ...row(agent, 'config', '/etc/app', after, before),
      time_ms: AT_MS + afterS * 1000,
    });
    const broken = agents(1, 8).map((agent) => at(agent, -300, `${agent}a`, `${agent}b`));
    const [alone] = await rank(3, 5, broken);
    const repaired = agents(1, 8).map((agent) => at(agent, agent <= 3 ? 20 : -100, `${agent}b`, `${agent}a`));
    const [change] = await rank(3, 5, [...broken, ...repaired]);
    expect(change).toMatchObject({ before: 300, affected: { with: 3, of: 3 }, unaffected: { with: 0, of: 5 } });
    expect(change?.score).toBeGreaterThan(alone?.score ?? 1);
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

  it('tells changes from outside apart by their names', async () => {
    const deploy = (agent: number, name: string) => ({ ...row(agent, 'change', 'deploy', 'v2', 'v1'), name });
    const rows = [
      ...agents(1, 3).map((agent) => deploy(agent, 'checkout')),
      ...agents(4, 9).map((agent) => deploy(agent, 'search')),
    ];
    expect(await rank(3, 6, rows)).toMatchObject([
      {
        kind: 'change',
        field: 'deploy',
        name: 'checkout',
        to: 'v2',
        unaffected: { with: 0, of: 6 },
        explanation:
          '3 of 3 agents with this error had the deploy of checkout from v1 to v2 within an hour before it; none of 6 others did.',
      },
    ]);
  });

  it('ranks a change that everybody made before noise, and says so', async () => {
    const pushed = agents(1, 20).map((agent) => ({
      ...row(agent, 'config', '/etc/nginx/nginx.conf', `hash ${agent}`),
      time_ms: AT_MS - 125_000,
    }));
    const noise = row(3, 'changed', 'ip', '10.0.0.9');
    const [best, other] = await rank(8, 12, [...pushed, noise]);
    expect(best).toMatchObject({ kind: 'config', affected: { with: 8, of: 8 }, unaffected: { with: 12, of: 12 } });
    expect(best?.score).toBeGreaterThan(0);
    expect(best?.explanation).toBe(
      '8 of 8 agents with this error changed the file /etc/nginx/nginx.conf within an hour before it; everybody did, two minutes before.',
    );
    expect(other).toMatchObject({ kind: 'changed', field: 'ip' });
  });

  it('prefers the nearer change while a rollout is under way', async () => {
    const rollout = agents(1, 8).map((agent) => ({
      ...row(agent, 'package', 'openssl', '3.1'),
      time_ms: AT_MS - 40_000,
    }));
    const address = { ...row(1, 'changed', 'ip', '10.0.0.9'), time_ms: AT_MS - 3_000_000 };
    expect((await rank(2, 18, [address, ...rollout])).map(({ kind }) => kind)).toEqual(['package', 'changed']);
  });

  it('makes one row of what the same agents reported together, named by the most specific', async () => {
    const rows = agents(1, 4).flatMap((agent) => [
      row(agent, 'restarted'),
      row(agent, 'rebooted'),
      row(agent, 'online'),
      { ...row(agent, 'offline', 'shut_down'), time_ms: AT_MS - 700_000 },
      row(agent, 'changed', 'system_version.kernel_package', 'linux-9'),
      row(agent, 'changed', 'system_version.kernel', '9', '8'),
      row(agent, 'package', 'linux-image', '9', '8'),
    ]);
    const changes = await rank(4, 16, rows);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ field: 'system_version.kernel', to: '9' });
    expect(changes[0]?.with.map(({ kind, field }) => [kind, field].join(' ').trimEnd()).sort()).toEqual([
      'changed system_version.kernel_package',
      'offline shut_down',
      'online',
      'package linux-image',
      'rebooted',
      'restarted',
    ]);
  });

  it('keeps rows apart whose agents differ, and steps of one field', async () => {
    const rows = [
      ...agents(1, 4).flatMap((agent) => [
        row(agent, 'package', 'openssl', '3.1'),
        row(agent, 'package', 'openssl', '3.2'),
      ]),
      ...agents(1, 12).map((agent) => row(agent, 'dns', 'nameservers', '10.0.0.2')),
    ];
    expect((await rank(4, 16, rows)).map(({ field, to }) => `${field} ${to}`).sort()).toEqual([
      'nameservers 10.0.0.2',
      'openssl 3.1',
      'openssl 3.2',
    ]);
  });

  it('orders two changes of the same agents by their nearness', async () => {
    const rows = agents(1, 3).flatMap((agent) => [
      { ...row(agent, 'certificate', 'a.pem', '2'), time_ms: AT_MS - 1_500_000 },
      { ...row(agent, 'package', 'openssl', '3.1'), time_ms: AT_MS - 300_000 },
    ]);
    expect((await rank(3, 9, rows)).map(({ kind }) => kind)).toEqual(['package', 'certificate']);
  });

  it('is sure of what all affected and no others did, and not where a label explains as much', async () => {
    const rows = agents(1, 10).map((agent) => row(agent, 'package', 'openssl', '3.1'));
    const [sure] = await rank(10, 90, rows);
    expect(sure?.strength).toBe('strong');
    const [one] = await rank(1, 19, [row(1, 'changed', 'ip', '10.0.0.9')]);
    expect(one?.strength).toBe('weak');
    const all = agents(1, 10);
    const query: RankQuery = {
      affected: new Map(all.map((agent) => [agent, spanOf(agent)])),
      unaffected: 90,
      isUnaffected: (agent) => agent > 10,
      ...WHOLE,
      otherEvidence: 40,
      limit: 20,
    };
    expect((await ranked(rows, query))[0]?.strength).toBe('weak');
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
        const query: RankQuery = { affected, unaffected: 11 - affected.size, isUnaffected, ...WHOLE, limit: 100 };
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
          const all = changes.flatMap((change) => [change, ...change.with]);
          expect(all.some(({ kind, field, to }) => isSame(one, kind, field, to))).toBe(true);
        }
        expect(changes.map(({ score }) => score)).toEqual(changes.map(({ score }) => score).toSorted((a, b) => b - a));
      }),
      { numRuns: atMost(60, 300) },
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
