// Streams of events that are open until the server ends them.
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Time after which a stream counts as open for ever. */
const GIVE_UP_MS = 60_000;

export interface OpenStream {
  /** Resolves with the time of `performance.now()` at which it ended; with infinity where it does not end. */
  ended(): Promise<number>;
  close(): void;
}

/** Opens a stream; resolves once it has begun. Calls `onText` for each piece of it. */
export function openStream(
  url: string,
  headers: Readonly<Record<string, string>>,
  { query = '', onText }: { readonly query?: string; readonly onText?: (text: string) => void } = {},
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/admin-api/events${query}`, { headers, agent: false }, (response) => {
      const { statusCode } = response;
      if (statusCode !== 200) return reject(new Error(`a stream was answered with ${statusCode}`));
      const end = new Promise<number>((resolveEnd) => response.once('close', () => resolveEnd(performance.now())));
      const ended = () => Promise.race([end, delay(GIVE_UP_MS, Number.POSITIVE_INFINITY, { ref: false })]);
      response.setEncoding('utf8').on('error', () => {});
      response.on('data', (text: string) => {
        onText?.(text);
        // The first event has the number from which the stream goes on.
        if (/^id: \d+$/m.test(text)) resolve({ ended, close: () => response.destroy() });
      });
    });
    request.once('error', reject);
  });
}
