// Spans of time in which changes are looked for.

/** The time in which a change on an agent may be a cause. Unix milliseconds; ends are exclusive. */
export interface AgentSpan {
  readonly agent: number;
  readonly fromMs: number;
  /** The time when the error began on the agent. */
  readonly atMs: number;
  /** End of that second or minute: the order within it is unknown. */
  readonly toMs: number;
  /** Time until which the agent may report a change from before the error. */
  readonly reportedMs: number;
  /** The absence of the agent during which the error began. */
  readonly absence?: Absence;
}

/** A time without reports: from when the agent was last there to its first report after it. Unix milliseconds. */
export interface Absence {
  readonly leftMs: number;
  readonly backMs: number;
}

/**
 * Returns the milliseconds from a change to the error. A change that was reported after an absence may have happened at
 * any time of it: its start counts.
 */
export function leadOf({ atMs, absence }: AgentSpan, timeMs: number): number {
  const isLate = absence !== undefined && timeMs > atMs;
  return Math.max(0, atMs - (isLate ? Math.min(timeMs, absence.leftMs) : timeMs));
}

/** A span of time; its end is exclusive. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Overlapping spans of several agents, merged. */
export interface MergedSpan extends Span {
  readonly agents: number;
}

/** Merges overlapping spans, the earliest first. */
export function mergeSpans(spans: readonly (Span | MergedSpan)[]): MergedSpan[] {
  const merged: { fromMs: number; toMs: number; agents: number }[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const { fromMs, toMs } = span;
    const agents = 'agents' in span ? span.agents : 1;
    const last = merged.at(-1);
    if (last !== undefined && fromMs <= last.toMs) {
      last.toMs = Math.max(last.toMs, toMs);
      last.agents += agents;
    } else {
      merged.push({ fromMs, toMs, agents });
    }
  }
  return merged;
}

/** Returns a test of whether a time is in one of many spans. */
export function withinAny(spans: readonly Span[]): (timeMs: number) => boolean {
  const merged = mergeSpans(spans);
  return (timeMs) => {
    let low = 0;
    let high = merged.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((merged[middle] as Span).fromMs <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low > 0 && timeMs < (merged[low - 1] as Span).toMs;
  };
}
