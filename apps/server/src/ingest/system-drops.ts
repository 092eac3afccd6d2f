// Asks Linux how many datagrams it had to throw away because we did not read them fast enough. No program sees those.
import { readFile } from 'node:fs/promises';

const CHECK_MS = 10_000;

/** The number in the last column, `drops`, of the UDP socket on `port` in the text of `/proc/net/udp`; 0 without it. */
export function dropsOf(table: string, port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const row of table.split('\n')) {
    const columns = row.trim().split(/\s+/);
    if (columns[1]?.endsWith(local)) return Number(columns.at(-1)) || 0;
  }
  return 0;
}

/** Watches one socket, every ten seconds and when asked. On systems without `/proc` it sees nothing. */
export class SystemDrops {
  readonly #table: string;
  readonly #port: number;
  readonly #onDrops: (added: number, total: number) => void;
  readonly #timer: NodeJS.Timeout;
  #total = 0;

  constructor(port: number, isIpv6: boolean, onDrops: (added: number, total: number) => void) {
    this.#table = isIpv6 ? '/proc/net/udp6' : '/proc/net/udp';
    this.#port = port;
    this.#onDrops = onDrops;
    this.#timer = setInterval(() => void this.check(), CHECK_MS);
    this.#timer.unref();
  }

  /** As of the last check. */
  get total(): number {
    return this.#total;
  }

  /** Looks now. Never rejects. */
  async check(): Promise<void> {
    const table = await readFile(this.#table, 'latin1').catch(() => '');
    const added = dropsOf(table, this.#port) - this.#total;
    if (added <= 0) return;
    this.#total += added;
    this.#onDrops(added, this.#total);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
