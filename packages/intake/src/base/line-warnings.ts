// Collects what of accepted lines could not be kept. The receipt names it.
import type { ErrlogReceipt } from '@quarterdeck/core';
import type { FieldSet } from '@quarterdeck/core/lines';

/** Maximum number of listed warnings. */
const MAX_LISTED = 100;

/** The part of a receipt that has the warnings. */
export type Warnings = Pick<ErrlogReceipt, 'warnings' | 'warned'>;

/** The warnings of one batch, in the order of its lines. */
export class LineWarnings {
  readonly #listed: NonNullable<ErrlogReceipt['warnings']>;
  #lines: number;
  #last = -1;

  constructor({ warnings = [], warned = 0 }: Warnings = {}) {
    this.#listed = [...warnings];
    this.#lines = warned;
  }

  /** Adds a warning about fields of `lines` lines, the first of which has an index in the batch. */
  add(index: number, fields: readonly string[], message: string, lines = 1): void {
    if (index !== this.#last) this.#lines += lines;
    this.#last = index;
    if (this.#listed.length < MAX_LISTED) this.#listed.push({ index, fields: [...fields], message });
  }

  /** Adds the fields that a line has lost. */
  addLost(index: number, fields: FieldSet): void {
    for (const { names, reason } of fields.lost()) this.add(index, names, reason);
  }

  /** Returns the warnings; nothing where there are none. */
  take(): Warnings {
    return this.#lines === 0 ? {} : { warnings: this.#listed, warned: this.#lines };
  }
}
