// Receives the signals of every process on this database, over a connection of its own that reconnects.
import { randomUUID } from 'node:crypto';
import { PrimaryClient } from './primary-client.ts';
import { PrimaryHosts } from './primary-hosts.ts';

const channel = 'quarterdeck_event';
const shortestMs = 100;
const longestMs = 5000;
const pingMs = 10_000;

export class Listener {
  /** Statement that signals to the other processes; part of a write's transaction. */
  readonly notify: string;
  readonly #self = randomUUID();
  readonly #hosts: PrimaryHosts;
  readonly #onSignal: () => void;
  #client: PrimaryClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waitMs = shortestMs;
  #state: 'idle' | 'on' | 'closed' = 'idle';

  constructor(url: string, onSignal: () => void) {
    this.#hosts = new PrimaryHosts(url);
    this.#onSignal = onSignal;
    this.notify = `NOTIFY ${channel}, '${this.#self}'`;
  }

  /** Starts to listen, in the background. */
  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'on';
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new PrimaryClient(this.#hosts, { query_timeout: 2000, application_name: 'quarterdeck events' });
    this.#client = client;
    client.on('end', () => this.#reconnect(client));
    client.on('notification', ({ payload }) => {
      // This process has called its own listeners already.
      if (payload !== this.#self) this.#onSignal();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    } catch {
      this.#reconnect(client);
      return;
    }
    this.#waitMs = shortestMs;
    // A signal may have come while the connection was down.
    this.#onSignal();
    this.#ping(client);
  }

  /** Pings: a connection whose other end has vanished reports nothing by itself. */
  #ping(client: PrimaryClient): void {
    if (this.#client !== client || this.#state === 'closed') return;
    this.#timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => this.#ping(client),
        () => this.#reconnect(client),
      );
    }, pingMs).unref();
  }

  #reconnect(client: PrimaryClient): void {
    if (this.#client !== client || this.#state === 'closed') return;
    this.#client = undefined;
    client.end().catch(() => {});
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#connect(), this.#waitMs * (0.5 + Math.random() / 2)).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, longestMs);
  }
}
