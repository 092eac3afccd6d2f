// Senders of lines, which know how many lines of each service the server has acknowledged.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clients, nextOf } from './calls.ts';
import { countsByService } from './contents.ts';

const ERRLOG = '/admin-api/log_server/errlog';
const BATCH = 25;
const EVERY_MS = 500;
/** Services of the steady load, one group each. `web` has spikes. */
export const STEADY = ['web', 'cart', 'mail', 'search', 'tax'] as const;
/** Service and host of the lines over syslog. */
export const SYSLOG = 'syslog-service';
const AGAIN_MS = 150;
const SEEN_WITHIN_MS = 5_000;

/** Lines of a service: those that are surely stored, and those that may be. */
export interface Sent {
  least: number;
  most: number;
}

export interface Senders {
  /** Service -> its lines. */
  readonly sent: ReadonlyMap<string, Sent>;
  /** Sends lines of one error of a service; resolves once they are stored. */
  send(service: string, count?: number, words?: number): Promise<void>;
  /** Sends the steady load until the signal is aborted. */
  load(signal: AbortSignal): Promise<void>;
  /** Sends lines over syslog until the signal is aborted. */
  syslog(signal: AbortSignal): Promise<void>;
}

/** Text of a line: the same error, with other random words, which cannot be compressed. */
const textOf = (service: string, words: number) =>
  `${service} cannot finish request ${Array.from({ length: words }, () => randomUUID()).join(' ')}`;

export function makeSenders(
  admin: Clients,
  servers: readonly { readonly url: string; readonly syslogPort: number }[],
  token: string,
): Senders {
  const sent = new Map<string, Sent>();
  const sentOf = (service: string) => {
    const known = sent.get(service) ?? { least: 0, most: 0 };
    sent.set(service, known);
    return known;
  };

  /** Posts a batch under one key until it is acknowledged. */
  async function post(lines: readonly { service: string }[]): Promise<void> {
    const headers = { 'API-Token': token, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
    const body = JSON.stringify(lines);
    for (;;) {
      const answer = await fetch(nextOf(servers).url + ERRLOG, { method: 'POST', headers, body }).catch(
        () => undefined,
      );
      const text = await answer?.text().catch(() => undefined);
      if (answer?.ok && text !== undefined) break;
      if (answer !== undefined && answer.status < 500 && answer.status !== 429)
        throw new Error(`${answer.status} ${text}`);
      await delay(AGAIN_MS);
    }
    for (const { service } of lines) {
      const counts = sentOf(service);
      counts.least += 1;
      counts.most += 1;
    }
  }

  const linesOf = (service: string, count: number, words: number) =>
    Array.from({ length: count }, () => ({ level: 4, host: 'night-host', service, log: textOf(service, words) }));

  /** Writes lines to one connection. */
  async function write(port: number, lines: readonly string[]): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    // An error closes it.
    socket.on('error', () => undefined);
    socket.end(lines.map((line) => `${line}\n`).join(''));
    await new Promise((resolve) => socket.once('close', resolve));
  }

  async function storedSyslog(): Promise<number> {
    return (await countsByService(admin)).get(SYSLOG) ?? 0;
  }

  return {
    sent,
    async send(service, count = 1, words = 2) {
      for (let left = count; left > 0; left -= 500) await post(linesOf(service, Math.min(500, left), words));
    },
    async load(signal) {
      while (!signal.aborted) {
        await post(STEADY.flatMap((service) => linesOf(service, BATCH / STEADY.length, 6)));
        await delay(EVERY_MS);
      }
    },
    async syslog(signal) {
      const counts = sentOf(SYSLOG);
      while (!signal.aborted) {
        const before = await storedSyslog();
        const { syslogPort } = nextOf(servers);
        counts.most += BATCH;
        await write(
          syslogPort,
          Array.from({ length: BATCH }, () => `<11>1 - syslog-host ${SYSLOG} - - - ${textOf(SYSLOG, 1)}`),
        );
        // Syslog has no acknowledgement: lines that are in the list are stored, the others may be.
        const giveUpMs = performance.now() + SEEN_WITHIN_MS;
        let stored = before;
        while (stored < before + BATCH && performance.now() < giveUpMs) {
          await delay(AGAIN_MS);
          stored = await storedSyslog();
        }
        counts.least = Math.max(counts.least, stored);
        await delay(2 * EVERY_MS);
      }
    },
  };
}
