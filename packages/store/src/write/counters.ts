// Numbers kept while lines are stored, so that reads need not count.
import type { SqlTx } from '@quarterdeck/core/db';
import { AddedMinutes } from '../tables/group-minutes.ts';
import { RATE } from '../tables/minutes.ts';
import { applyTogether, type TableChanges, Tally } from '../tables/tally.ts';
import { ALL_SOURCES, ANY_SOURCE, TOTAL } from '../tables/totals.ts';

/** The values that a group is counted under. */
export interface Counted {
  readonly src: number;
  readonly appId: number;
  readonly level: number;
  /** Empty is none, or not known. */
  readonly service: string;
}

/** The changes of one batch to all kept numbers. Each group comes at most once. */
export class Counters {
  readonly #total = new Tally();
  readonly #rate = new Tally<readonly [src: number, minute: number, level: number]>();
  readonly #minutes = new AddedMinutes();

  /** Adds `n` groups to a state; removes them if negative. */
  groups({ src, appId, level, service }: Counted, state: string, n: number): void {
    this.#total.add([src, appId, level, service, state], n);
    this.#total.add([ALL_SOURCES, appId, level, service, state], n);
  }

  /** Adds an error on its first source; removes it (-1) from its last. */
  distinctErrors({ appId, level, service }: Omit<Counted, 'src'>, n: number): void {
    this.#total.add([ANY_SOURCE, appId, level, service, ''], n);
  }

  /** Adds occurrences of a group in a minute. */
  occurrences(id: number, { src, level }: Counted, minute: number, n: number): void {
    this.#minutes.add(id, minute, n);
    this.#rate.add([src, minute, level], n);
  }

  async apply(tx: SqlTx): Promise<void> {
    await this.applyMinutes(tx);
    await applyTogether(tx, this.shared());
  }

  /** Writes the numbers of single groups. */
  applyMinutes(tx: SqlTx): Promise<void> {
    return this.#minutes.apply(tx);
  }

  /** The changes of numbers that batches of all groups add to. */
  shared(): TableChanges[] {
    const rates = new Tally();
    for (const { key, n } of this.#rate.changes()) {
      const [, minute, level] = key;
      rates.add(key, n);
      rates.add([ANY_SOURCE, minute, level], n);
    }
    return [
      [TOTAL, this.#total.changes()],
      [RATE, rates.changes()],
    ];
  }
}
