// What is counted while lines are stored, so that nothing has to be counted when they are read.
import type { SqlTx } from '@quarterdeck/core/db';
import { MINUTE, RATE } from '../tables/minutes.ts';
import { applyChanges, type Change, Tally, tallyTable } from '../tables/tally.ts';
import { ALL_SOURCES, ANY_SOURCE, TOTAL } from '../tables/totals.ts';

const REQUEST = tallyTable('errlog_request', { req_id: 'text', errlog_id: 'int8' });

/** What a group is counted under. */
export interface Counted {
  readonly src: number;
  readonly appId: number;
  readonly level: number;
}

/** The changes of one batch to everything that is counted. Each group is met at most once. */
export class Counters {
  readonly #total = new Tally();
  readonly #rate = new Tally<readonly [src: number, minute: number, level: number]>();
  readonly #minutes: Change[] = [];
  readonly #request = new Tally();

  /** `n` groups appear in a state; negative: they leave it. */
  groups({ src, appId, level }: Counted, state: string, n: number): void {
    this.#total.add([src, appId, level, state], n);
    this.#total.add([ALL_SOURCES, appId, level, state], n);
  }

  /** An error appears on its first source, or (-1) is gone from its last. */
  distinctErrors({ appId, level }: Omit<Counted, 'src'>, n: number): void {
    this.#total.add([ANY_SOURCE, appId, level, ''], n);
  }

  /** A group happened so many times in a minute, of which it is told once. */
  occurrences(id: number, { src, level }: Counted, minute: number, n: number): void {
    this.#minutes.push({ key: [id, minute], n });
    this.#rate.add([src, minute, level], n);
  }

  /** A chunk of a group holds a request (-1: is taken out). */
  request(reqId: string, id: number, n = 1): void {
    this.#request.add([reqId, id], n);
  }

  async apply(tx: SqlTx): Promise<void> {
    const rates = new Tally();
    for (const { key, n } of this.#rate.changes()) {
      const [, minute, level] = key;
      rates.add(key, n);
      rates.add([ANY_SOURCE, minute, level], n);
    }
    await applyChanges(tx, TOTAL, this.#total.changes());
    await applyChanges(tx, MINUTE, this.#minutes);
    await applyChanges(tx, RATE, rates.changes());
    await applyChanges(tx, REQUEST, this.#request.changes());
  }
}
