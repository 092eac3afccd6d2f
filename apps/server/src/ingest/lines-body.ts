// The body of a request with log lines, before it is read.

/** Format of the decompressed bytes. */
export type BodyForm = 'json' | 'ndjson' | 'otlp_json' | 'otlp_protobuf';

/** A body as received: neither decompressed nor parsed. */
export class LinesBody {
  readonly bytes: Uint8Array;
  readonly form: BodyForm;
  /** A Content-Encoding that `inflate` knows; undefined for none. */
  readonly encoding: string | undefined;
  constructor(bytes: Uint8Array, form: BodyForm, encoding: string | undefined) {
    this.bytes = bytes;
    this.form = form;
    this.encoding = encoding;
  }
}
