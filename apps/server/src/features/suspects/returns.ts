// Changes back to a value that a host had before: repairs, mostly. The host ran with that value without the error.
import type { Change, HistoryLines } from './history-lines.ts';

/** Values that the hosts had of one thing. */
export class EarlierValues {
  readonly #lines: HistoryLines;
  /** By the index of the agent: its changes of the thing. */
  readonly #byAgent = new Map<number, number[]>();

  /** @param changes all lines about one thing, in any order */
  constructor(lines: HistoryLines, changes: readonly number[]) {
    this.#lines = lines;
    for (const line of changes) {
      const agent = lines.agentOf[line] as number;
      const own = this.#byAgent.get(agent);
      if (own === undefined) this.#byAgent.set(agent, [line]);
      else own.push(line);
    }
  }

  /** Tells whether a line is a change back to a value that its host had before an earlier change. */
  isReturn(line: number): boolean {
    const { agentOf, timeOf } = this.#lines;
    const own = this.#byAgent.get(agentOf[line] as number) ?? [];
    const { after } = this.#changeOf(line);
    const isEarlier = (other: number) => (timeOf[other] as number) < (timeOf[line] as number);
    return own.some((other) => isEarlier(other) && this.#changeOf(other).before === after);
  }

  #changeOf(line: number): Change {
    return this.#lines.changes[this.#lines.changeOf[line] as number] as Change;
  }
}
