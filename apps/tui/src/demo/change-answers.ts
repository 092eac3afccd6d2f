// Demo: changes from outside, their effects, and the ledger of the sources.
import type { LedgerGap, LedgerRow } from '@quarterdeck/core';
import type { Fake } from '@quarterdeck/sdk/testing';
import type { Fleet } from './fleet-state.ts';
import { createRandom } from './random.ts';
import { effectsOf } from './reported-changes.ts';
import { byId } from './rows.ts';

const MINUTE_S = 60;
/** Longest ledger of one source, minutes. */
const MINUTES_MAX = 1_440;
/** Age and length of the gap of the demo, minutes. */
const GAP = { ago: 38, minutes: 3, lines: 31 };
const GAP_SOURCE = 'edge-sin-1';

interface Span {
  readonly startS: number;
  readonly endS: number;
}

/** The gap of a source in a span; empty for none. */
function gapsOf(name: string, src: number, { startS, endS }: Span, nowS: number): LedgerGap[] {
  if (name !== GAP_SOURCE) return [];
  const start_time = Math.floor(nowS / MINUTE_S - GAP.ago) * MINUTE_S;
  const end_time = start_time + GAP.minutes * MINUTE_S;
  return end_time < startS || start_time > endS
    ? []
    : [{ src, stage: 'missing', start_time, end_time, lines: GAP.lines }];
}

/** The rows of a source, newest first: the same lines in the same minutes every time. */
function rowsOf(src: number, isAgent: boolean, gaps: readonly LedgerGap[], { startS, endS }: Span): LedgerRow[] {
  const last = Math.floor(endS / MINUTE_S);
  const first = Math.max(Math.floor(startS / MINUTE_S), last - MINUTES_MAX);
  const busy = createRandom(src).whole(1, 90);
  return Array.from({ length: last - first + 1 }, (_, index): LedgerRow => {
    const minute = (last - index) * MINUTE_S;
    const random = createRandom(src * 100_003 + last - index);
    const stored = Math.ceil(random.next() ** 2 * busy);
    const lost = gaps.some(({ start_time: at }) => at === minute) ? GAP.lines : 0;
    return {
      src,
      minute,
      read: isAgent ? stored + lost : null,
      sent: isAgent ? stored : null,
      received: stored,
      stored,
      grouped: stored,
      dropped: lost === 0 ? {} : { missing: lost },
    };
  });
}

export function answerChanges({ on }: Fake, fleet: Fleet, now: () => number): void {
  const nowS = (): number => Math.floor(now() / 1000);
  on('change.list', () => fleet.changes);
  on('change.get', (call) => byId(fleet.changes, call));
  on('change.effects', (call) => effectsOf(fleet, byId(fleet.changes, call), call.query.within, nowS()));
  on('ledger.list', ({ query: { src, start_time: startS = 0, end_time: endS = nowS() } }) => {
    const span = { startS, endS };
    const names = new Map(fleet.errlog.map((entry) => [entry.src, entry.source ?? '']));
    const found = [...names].filter(([id]) => src === undefined || id === src);
    const gaps = found.flatMap(([id, name]) => gapsOf(name, id, span, nowS()));
    const data = found.flatMap(([id, name]) => {
      const isAgent = fleet.agents.some(({ hostname }) => hostname === name);
      return rowsOf(
        id,
        isAgent,
        gaps.filter((gap) => gap.src === id),
        span,
      );
    });
    return { data, meta: { complete: gaps.length === 0, gaps } };
  });
}
