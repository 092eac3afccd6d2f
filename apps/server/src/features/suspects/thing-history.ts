// Changes of one thing on each host: which of them go back to an earlier value, and which were over before the error.
// A change back is a repair, mostly: the host ran with that value without the error.
import type { Change, HistoryLines } from './history-lines.ts';

export class ThingHistory {
  readonly #lines: HistoryLines;
  /** By the index of the agent: its changes of the thing. */
  readonly #byAgent: ReadonlyMap<number, readonly number[]>;

  /** @param changes all lines about one thing, in any order */
  constructor(lines: HistoryLines, changes: readonly number[]) {
    this.#lines = lines;
    this.#byAgent = Map.groupBy(changes, (line) => lines.agentOf[line] as number);
  }

  /** Tells whether a line is a change back to a value that its host had before an earlier change. */
  isReturn(line: number): boolean {
    const { after } = this.#changeOf(line);
    return this.#ofSameAgent(line).some(
      (other) => this.#timeOf(other) < this.#timeOf(line) && this.#changeOf(other).before === after,
    );
  }

  /** Tells whether the host changed the thing to another value between a line and the error. */
  isOver(line: number, atMs: number): boolean {
    const { after } = this.#changeOf(line);
    return this.#ofSameAgent(line).some((other) => {
      const timeMs = this.#timeOf(other);
      return timeMs > this.#timeOf(line) && timeMs <= atMs && this.#changeOf(other).after !== after;
    });
  }

  #ofSameAgent(line: number): readonly number[] {
    return this.#byAgent.get(this.#lines.agentOf[line] as number) ?? [];
  }

  #timeOf(line: number): number {
    return this.#lines.timeOf[line] as number;
  }

  #changeOf(line: number): Change {
    return this.#lines.changes[this.#lines.changeOf[line] as number] as Change;
  }
}
