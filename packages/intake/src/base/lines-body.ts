// The body of a request with log lines, before it is read.

/** Format of the decompressed bytes. */
export type BodyForm =
  | 'json'
  | 'ndjson'
  | 'otlp_json'
  | 'otlp_protobuf'
  | 'loki_json'
  | 'loki_protobuf'
  | 'bulk'
  | 'sentry_envelope'
  | 'sentry_store';

/** A body as received: neither decompressed nor parsed. */
export class LinesBody {
  readonly bytes: Uint8Array;
  readonly form: BodyForm;
  /** A Content-Encoding that `inflate` knows; undefined for none. */
  readonly encoding: string | undefined;
  /** The name in the path: the index of a bulk request whose actions name none, or the project of Sentry. */
  readonly target: string;
  constructor(bytes: Uint8Array, form: BodyForm, encoding: string | undefined, target = '') {
    this.bytes = bytes;
    this.form = form;
    this.encoding = encoding;
    this.target = target;
  }
}
