// A page whose rows are JSON text already.
import type { Page } from '@quarterdeck/core';

/** A page that need not be made JSON to be sent: `json` is what `JSON.stringify` makes of `data`. */
export class JsonPage<Row> implements Page<Row> {
  readonly json: string;
  readonly meta: { readonly count: number };

  constructor(json: string, count: number) {
    this.json = json;
    this.meta = { count };
  }

  /** The rows, read from the text. */
  get data(): Row[] {
    return JSON.parse(this.json);
  }
}
