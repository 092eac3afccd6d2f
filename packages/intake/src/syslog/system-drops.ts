// Reads the number of datagrams that Linux dropped because this process did not read them fast enough.
import { readFile } from 'node:fs/promises';

/** Seconds between two checks. */
export const CHECK_S = 10;

/** Reads the last column, `drops`, of the UDP socket on `port` from the text of `/proc/net/udp`; 0 without it. */
export function dropsOf(table: string, port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const row of table.split('\n')) {
    const columns = row.trim().split(/\s+/);
    if (columns[1]?.endsWith(local)) return Number(columns.at(-1)) || 0;
  }
  return 0;
}

const tableOf = (isIpv6: boolean): string => (isIpv6 ? '/proc/net/udp6' : '/proc/net/udp');

/** Reads the drops of an inherited socket: those before this process, which another one has counted. */
export const dropsBefore = async (port: number, isIpv6: boolean): Promise<number> =>
  dropsOf(await readFile(tableOf(isIpv6), 'latin1').catch(() => ''), port);

/** Checks one socket every ten seconds and on request. Without `/proc` it finds no drops. */
export class SystemDrops {
  readonly #table: string;
  readonly #port: number;
  readonly #onDrops: (added: number, total: number) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #before: number;
  #total = 0;

  /** `before`: drops of the socket that another process has counted. */
  constructor(port: number, isIpv6: boolean, onDrops: (added: number, total: number) => void, before = 0) {
    this.#table = tableOf(isIpv6);
    this.#port = port;
    this.#before = before;
    this.#onDrops = onDrops;
    this.#timer = setInterval(() => void this.check(), CHECK_S * 1000);
    this.#timer.unref();
  }

  /** Drops at the last check. */
  get total(): number {
    return this.#total;
  }

  /** Checks now. Never rejects. */
  async check(): Promise<void> {
    const table = await readFile(this.#table, 'latin1').catch(() => '');
    const added = dropsOf(table, this.#port) - this.#before - this.#total;
    if (added <= 0) return;
    this.#total += added;
    this.#onDrops(added, this.#total);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
