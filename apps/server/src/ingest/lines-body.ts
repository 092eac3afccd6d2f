// A body of log lines on its way from the socket to who reads it.

/** Form of the bytes of a body, once inflated. */
export type BodyForm = 'json' | 'ndjson' | 'otlp_json' | 'otlp_protobuf';

/** A body of lines as it arrived: neither inflated nor parsed. */
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
