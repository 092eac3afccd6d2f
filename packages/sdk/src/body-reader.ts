// Reads the body of an answer that takes its time, piece by piece. Pull-based: nothing is read from the connection while
// the consumer is busy, so a slow one costs no memory here and is not taken for a silent server.
import type { Question } from './answer.ts';
import type { Clock } from './clock.ts';
import { NetworkError, reasonOf, TimeoutError } from './errors.ts';

/** A body on its way. */
export interface BodyReader {
  /**
   * The next piece of text; undefined at the end.
   * @throws TimeoutError where nothing came in time, NetworkError where the connection broke.
   */
  read(): Promise<string | undefined>;
  /** Ends the connection, and a pending read too. */
  close(): void;
}

/** How a body is read. */
export interface BodyReaderOptions {
  readonly clock: Clock;
  /** How long it may be silent while it is read, milliseconds. */
  readonly silenceMs: number;
  /** Aborting it closes the connection: a pending read resolves as at the end. */
  readonly signal?: AbortSignal | undefined;
}

/** A reader of UTF-8 text. */
export function openBody(
  body: ReadableStream<Uint8Array>,
  { target, secret }: Question,
  { clock, silenceMs, signal }: BodyReaderOptions,
): BodyReader {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // A stream that has failed already rejects, which its read has reported.
  const close = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', close, { once: true });
  if (signal?.aborted) close();

  return {
    async read() {
      let silent = false;
      const callOff = clock.after(silenceMs, () => {
        silent = true;
        close();
      });
      try {
        const chunk = await reader.read();
        if (!silent) return chunk.done ? undefined : decoder.decode(chunk.value, { stream: true });
      } catch (cause) {
        throw new NetworkError(reasonOf(cause, secret), target);
      } finally {
        callOff();
      }
      throw new TimeoutError(silenceMs, target);
    },
    close() {
      signal?.removeEventListener('abort', close);
      close();
    },
  };
}
