// Absences of agents during which an error began: what an agent tells when it is back may have happened before the
// error.
import type { Change, HistoryLines } from './history-lines.ts';
import type { AgentSpan } from './spans.ts';

/** A clock that is set moves the boot time by less than this. */
const DRIFT_MS = 10_000;

/** Most time after the beginning of an error in which a return of the agent is looked for. */
export const ABSENCE_MAX_MS = 30 * 60_000;

/** Presence of an agent around the beginning of its error. */
interface Presence {
  /** The last time at which it went offline, unless it came back before the error began. */
  leftMs?: number | undefined;
  /** The first report after the beginning. */
  backMs?: number;
}

/**
 * Finds the agents that were away when the error began on them. An agent that is found lost a little later was away
 * too: `lostMs` is the time after which silence counts. So was one that tells later that its host booted before.
 */
export function withAbsences(
  lines: HistoryLines,
  presence: readonly number[],
  spans: ReadonlyMap<number, AgentSpan>,
  lostMs: number,
): Map<number, AgentSpan> {
  const found = new Map<number, Presence>();
  for (const line of presence) {
    const agent = lines.agents[lines.agentOf[line] as number] as number;
    const span = spans.get(agent);
    const timeMs = lines.timeOf[line] as number;
    if (span === undefined || timeMs > span.toMs + ABSENCE_MAX_MS) continue;
    const known = found.get(agent) ?? {};
    found.set(agent, known);
    // One report tells the return and the boot, in any order.
    if (known.backMs === undefined || known.backMs === timeMs)
      notePresence(known, lines.changes[lines.changeOf[line] as number] as Change, timeMs, span, lostMs);
  }
  const made = new Map(spans);
  for (const [agent, { leftMs, backMs }] of found) {
    if (leftMs === undefined || backMs === undefined) continue;
    made.set(agent, { ...(spans.get(agent) as AgentSpan), absence: { leftMs, backMs } });
  }
  return made;
}

/** Takes the lines of an agent by rising time. */
function notePresence(presence: Presence, { kind, after }: Change, timeMs: number, span: AgentSpan, lostMs: number) {
  const isAfter = timeMs >= span.toMs;
  if (kind === 'offline' && timeMs < span.toMs + lostMs) presence.leftMs = timeMs;
  if (kind === 'online' && !isAfter) presence.leftMs = undefined;
  if (kind === 'online' && isAfter && presence.leftMs !== undefined) presence.backMs = timeMs;
  const bootMs = Number(after) * 1000;
  if (kind === 'rebooted' && isAfter && bootMs >= span.fromMs && bootMs <= span.atMs + DRIFT_MS) {
    presence.leftMs = bootMs;
    presence.backMs = timeMs;
  }
}

/** Returns the lines that tell whether agents were there, by their times. */
export function presenceLines({ changes, changeOf, timeOf }: HistoryLines): number[] {
  const isPresence = changes.map(({ kind }) => kind === 'offline' || kind === 'online' || kind === 'rebooted');
  const found: number[] = [];
  for (const [line, change] of changeOf.entries()) if (isPresence[change]) found.push(line);
  return found.sort((a, b) => (timeOf[a] as number) - (timeOf[b] as number));
}

/**
 * Finds changes that an agent reported when it came back and that cannot be a cause. Either the change takes one back
 * that was made before the error, or its host booted after the error began: it mends the error rather than causes it.
 */
export class Repairs {
  readonly #lines: HistoryLines;
  /** By agent: what it changed before the error, and from which value. */
  readonly #undone = new Map<number, Set<string>>();
  readonly #booted = new Set<number>();

  constructor(lines: HistoryLines) {
    this.#lines = lines;
  }

  /** Notes a change that came before the error. */
  noteBefore(agent: number, line: number): void {
    const change = this.#changeOf(line);
    let values = this.#undone.get(agent);
    if (values === undefined) {
      values = new Set();
      this.#undone.set(agent, values);
    }
    values.add(keyOf(change, change.before));
  }

  /** Notes a change that was reported at the return of the agent. */
  noteReturn({ agent, atMs }: AgentSpan, line: number): void {
    const { kind, after } = this.#changeOf(line);
    if (kind === 'rebooted' && Number(after) * 1000 > atMs + DRIFT_MS) this.#booted.add(agent);
  }

  isRepair(agent: number, line: number): boolean {
    const change = this.#changeOf(line);
    return this.#booted.has(agent) || this.#undone.get(agent)?.has(keyOf(change, change.after)) === true;
  }

  #changeOf(line: number): Change {
    return this.#lines.changes[this.#lines.changeOf[line] as number] as Change;
  }
}

const keyOf = ({ kind, field, name }: Change, value: string) => [kind, field, name, value].join('\0');
