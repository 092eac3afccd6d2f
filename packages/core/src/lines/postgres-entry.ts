// Recognizes the lines that PostgreSQL writes below a message, each with its own prefix: DETAIL, HINT, STATEMENT.

/** `[5-1] `, the number of a message and of its line, which PostgreSQL writes over syslog; then its prefix. */
const HEAD =
  /^(?:\[(?<number>\d+)-\d+\] )?(?<prefix>.{0,200}?)(?:LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG[1-5]?): {2}/;
const GOES_ON =
  /^(?:\[(?<number>\d+)-\d+\] )?(?<prefix>.{0,200}?)(?:DETAIL|HINT|QUERY|CONTEXT|STATEMENT|LOCATION|BACKTRACE): {2}/;
const NUMBER = /^\[(?<number>\d+)-\d+\] /;
/** psql shows the place of an error. */
const PLACE = /^LINE \d+: /;

/** A prefix may number its lines and tell the time of each. */
const masked = (prefix = '') => prefix.replace(/\d+/g, '0');

/** The head of a message of PostgreSQL. */
export class PostgresEntry {
  readonly #number: string | undefined;
  readonly #prefix: string;

  private constructor({ number, prefix }: Record<string, string | undefined>) {
    this.#number = number;
    this.#prefix = masked(prefix);
  }

  /** Reads the head of a message; undefined for any other line. */
  static of(head: string): PostgresEntry | undefined {
    const found = head.includes(':  ') ? HEAD.exec(head)?.groups : undefined;
    return found && new PostgresEntry(found);
  }

  /** Reports whether a line without an indent belongs to the message. */
  isContinuedBy(text: string): boolean {
    if (this.#number !== undefined) return NUMBER.exec(text)?.groups?.['number'] === this.#number;
    const prefix = GOES_ON.exec(text)?.groups?.['prefix'];
    if (prefix === undefined) return PLACE.test(text);
    // psql writes its prefix only before the first line.
    return prefix === '' || masked(prefix) === this.#prefix;
  }
}
