// A page whose rows are JSON text already.
import type { Page } from '@quarterdeck/core';

/** JSON text, and how many bytes it is in UTF-8: to count them takes longer than to send them. */
export interface JsonText {
  readonly json: string;
  readonly bytes: number;
}

/** A page that need not be made JSON to be sent: `json` is what `JSON.stringify` makes of `data`. */
export class JsonPage<Row> implements Page<Row>, JsonText {
  readonly json: string;
  readonly bytes: number;
  readonly meta: { readonly count: number };

  constructor({ json, bytes }: JsonText, count: number) {
    this.json = json;
    this.bytes = bytes;
    this.meta = { count };
  }

  /** The rows, read from the text. */
  get data(): Row[] {
    return JSON.parse(this.json);
  }
}
