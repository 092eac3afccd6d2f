// Spans of time, and which agents are looked at in them.

/** The time in which a change on an agent may be a cause. Unix milliseconds; the ends are not in it. */
export interface AgentSpan {
  readonly agent: number;
  readonly fromMs: number;
  /** When the error began there ... */
  readonly atMs: number;
  /** ... and the end of that second or minute: within it nobody knows what came first. */
  readonly toMs: number;
  /** Until when the agent may have told of a change that was before the error. */
  readonly toldMs: number;
}

/** A span in which the changes of some agents are looked for. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Spans of several agents that touch each other. */
export interface MergedSpan extends Span {
  readonly agents: number;
}

/** Puts spans that touch each other together, the earliest first: of one agent each, or of several. */
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

/** A test of whether a time is in one of many spans. */
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
