// The form of the generated table of endpoints.

/** A field of a query or a body. */
export interface FieldInfo {
  /**
   * `texts`, `numbers`: lists. `pairs`: an object of texts. `time`: Unix seconds. `expiry`: Unix milliseconds, 0 =
   * never. `duration`: seconds. `json`: any other value.
   */
  readonly type:
    | 'text'
    | 'number'
    | 'flag'
    | 'texts'
    | 'numbers'
    | 'pairs'
    | 'time'
    | 'expiry'
    | 'duration'
    | 'level'
    | 'json';
  readonly about?: string;
  /** The only values it takes. */
  readonly values?: readonly string[];
  readonly required?: true;
}

/** Fields by name. */
export type Fields = Readonly<Record<string, FieldInfo>>;

/** An endpoint of the contract without its schemas. */
export interface EndpointInfo {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly access: string;
  /** Its query has `detail`. */
  readonly detail?: true;
  readonly query: Fields;
  readonly body: Fields;
  /**
   * Paths of the fields of its data: `labels`; `labels.*` where any name may follow; `[]` behind a list, as in
   * `data[].id`.
   */
  readonly data: readonly string[];
}
