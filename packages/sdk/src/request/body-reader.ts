// Reads a slow body piece by piece. It pulls: nothing is read from the connection while the consumer is busy. A slow
// consumer costs no memory, and its server does not count as silent.
import type { RequestContext } from './answer.ts';
import type { Clock } from './clock.ts';
import { NetworkError, reasonOf, TimeoutError } from './errors.ts';

/** Reads the body of an answer piece by piece, with a limit of silence. */
export interface BodyReader {
  /**
   * Reads the next piece of text; undefined at the end.
   *
   * @throws TimeoutError after too much silence, NetworkError when the connection broke
   */
  read(): Promise<string | undefined>;
  /** Closes the connection and ends a pending read. */
  close(): void;
}

/** Options of {@link openBody}. */
export interface BodyReaderOptions {
  readonly clock: Clock;
  /** Maximum silence while the body is read, milliseconds. */
  readonly silenceMs: number;
  /** Closes the connection when aborted; a pending read resolves as at the end. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a reader of UTF-8 text. */
export function openBody(
  body: ReadableStream<Uint8Array>,
  { target, secrets }: RequestContext,
  { clock, silenceMs, signal }: BodyReaderOptions,
): BodyReader {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // A stream that has failed rejects again here; its read has already reported that.
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
        throw new NetworkError(reasonOf(cause, secrets), target);
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
