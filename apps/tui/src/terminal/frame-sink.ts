// What Ink takes for its terminal. Ink writes whole frames into it (its `debug` mode) and never sees the real one.
import { Writable } from 'node:stream';

/** What the sink stands for. */
export interface SinkOptions {
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly onFrame: (frame: string) => void;
}

/** A terminal for Ink. */
export class FrameSink extends Writable {
  readonly isTTY = true;
  readonly #options: SinkOptions;

  constructor(options: SinkOptions) {
    super({ decodeStrings: false });
    this.#options = options;
  }

  get columns(): number {
    return this.#options.size().columns;
  }

  get rows(): number {
    return this.#options.size().rows;
  }

  override _write(frame: string, _encoding: string, done: () => void): void {
    // Ink's own private modes are no frames; the real terminal's modes are set elsewhere.
    if (!frame.startsWith('\u001B[?')) this.#options.onFrame(frame);
    done();
  }
}
