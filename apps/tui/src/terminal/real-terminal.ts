// The terminal of this process: modes, size, keys, and restoring it however the process ends. Loaded before everything
// else, so it has few imports.
import { writeSync } from 'node:fs';
import { type KeyReader, readKeys } from './input/reader.ts';
import type { Input } from './input/splitter.ts';
import { BARE_END, bareText, ENTER, LEAVE, MOUSE_OFF, MOUSE_ON } from './modes.ts';

/** Longest wait for a stuck terminal when restoring it, milliseconds. */
const FLUSH_MS = 1_000;
/** Longest wait for a stop signal to take effect; it is ignored where no shell can resume the process. Milliseconds. */
const STOP_MS = 100;

/** Streams of a process in a terminal. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream & { readonly fd: number };
}

/** The painter, which stops while another program has the terminal. */
export interface Painter {
  readonly stop: () => void;
  readonly start: () => void;
  /** Reports that a key has arrived. */
  readonly urgent: () => void;
}

type Listener = (inputs: readonly Input[]) => void;

/** One terminal, from opening to closing. */
export class RealTerminal {
  readonly #streams: Streams;
  readonly #listeners = new Set<Listener>();
  #painter: Painter | null = null;
  #reader: KeyReader | null = null;
  /** True while this process has the terminal. */
  #isOurs = false;
  #isSuspended = false;
  #hasMouse = false;
  /** True while bare text is on the screen. */
  #isBare = false;

  constructor(streams: Streams) {
    this.#streams = streams;
    const { stdin, stdout } = streams;
    // The terminal may be gone (SIGHUP); a failed read or write must not crash the process.
    stdout.on('error', () => undefined);
    stdin.on('error', () => undefined);
  }

  get columns(): number {
    return this.#streams.stdout.columns;
  }

  get rows(): number {
    return this.#streams.stdout.rows;
  }

  /** Takes over the terminal and writes the first frame. */
  open(first = ''): void {
    process.on('exit', this.#onExit);
    process.on('SIGTSTP', this.#onStop);
    process.on('SIGCONT', this.#onContinue);
    this.#take(first);
  }

  setPainter(painter: Painter): void {
    this.#painter = painter;
  }

  /** Adds a listener of input. Returns a function that removes it. Input waits until there is a listener. */
  onInput(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#read();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopReading();
    };
  }

  /** Adds a listener of changes of the size. Returns a function that removes it. */
  onResize(listener: () => void): () => void {
    const { stdout } = this.#streams;
    stdout.on('resize', listener);
    return () => stdout.off('resize', listener);
  }

  /** Writes text. Calls `written` once the terminal has accepted it. */
  write(text: string, written?: () => void): void {
    this.#streams.stdout.write(text, () => written?.());
  }

  /** Restores the terminal for good. Resolves when the terminal has accepted that, or is stuck. */
  async close(): Promise<void> {
    process.off('SIGTSTP', this.#onStop);
    process.off('SIGCONT', this.#onContinue);
    await this.#giveBack();
    this.#streams.stdin.pause();
  }

  /** True while another program has the terminal. */
  get isLent(): boolean {
    return this.#isSuspended;
  }

  /** Switches mouse reports on or off. Without them, the terminal's own selection works. */
  setMouse(on: boolean): void {
    if (on === this.#hasMouse) return;
    this.#hasMouse = on;
    if (this.#isOurs && !this.#isBare) this.write(on ? MOUSE_ON : MOUSE_OFF);
  }

  /** Shows as many of the lines as fit, and nothing else, until a key is pressed. */
  bare(lines: readonly string[]): void {
    if (this.#isBare || !this.#isOurs) return;
    this.#isBare = true;
    this.#painter?.stop();
    this.write(MOUSE_OFF + bareText(lines, this));
  }

  #endBare(): void {
    this.#isBare = false;
    this.write(BARE_END + (this.#hasMouse ? MOUSE_ON : ''));
    this.#painter?.start();
  }

  /** Lends the terminal to another program while `run` runs. */
  async suspend<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isSuspended) throw new Error('the terminal is already lent');
    this.#isSuspended = true;
    try {
      await this.#giveBack();
      // The other program is stopped together with this process, so this process must not handle the signal.
      process.off('SIGTSTP', this.#onStop);
      return await run();
    } finally {
      process.on('SIGTSTP', this.#onStop);
      this.#isSuspended = false;
      this.#take('');
    }
  }

  /** Suspends this process until the shell continues it. `group` suspends its process group, as Ctrl-Z does. */
  stop(group = true): void {
    if (this.#isSuspended) return;
    void this.suspend(async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      process.once('SIGCONT', resolve);
      process.kill(group ? 0 : process.pid, 'SIGTSTP');
      const timer = setTimeout(resolve, STOP_MS);
      await promise;
      clearTimeout(timer);
      process.off('SIGCONT', resolve);
    });
  }

  readonly #onStop = (): void => this.stop(false);

  // Another process stopped and continued this one; the shell had the terminal in between.
  readonly #onContinue = (): void => {
    if (this.#isSuspended || !this.#isOurs) return;
    this.#stopReading();
    this.#take('');
  };

  // Restores the terminal if the process ends in any other way.
  readonly #onExit = (): void => {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    try {
      this.#setRaw(false);
      writeSync(this.#streams.stdout.fd, LEAVE);
    } catch {
      // The terminal is gone.
    }
  };

  #take(first: string): void {
    this.#isOurs = true;
    this.#setRaw(true);
    this.#setBlocking(false);
    this.#isBare = false;
    this.write(ENTER + (this.#hasMouse ? MOUSE_ON : '') + first);
    if (this.#listeners.size > 0) this.#read();
    this.#painter?.start();
  }

  async #giveBack(): Promise<void> {
    if (!this.#isOurs) return;
    this.#painter?.stop();
    this.#stopReading();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, FLUSH_MS);
    this.write(LEAVE, resolve);
    await promise;
    clearTimeout(timer);
    this.#isOurs = false;
    this.#setRaw(false);
    this.#setBlocking(true);
  }

  #read(): void {
    if (this.#reader !== null || !this.#isOurs) return;
    this.#reader = readKeys(this.#streams.stdin, (all) => {
      if (this.#isBare) {
        this.#endBare();
        return;
      }
      // Drops mouse reports that were on their way when reports were switched off.
      const inputs = this.#hasMouse ? all : all.filter((input) => !('mouse' in input));
      if (inputs.length === 0) return;
      this.#painter?.urgent();
      for (const listener of this.#listeners) listener(inputs);
    });
  }

  #stopReading(): void {
    this.#reader?.stop();
    this.#reader = null;
  }

  #setRaw(raw: boolean): void {
    try {
      this.#streams.stdin.setRawMode(raw);
    } catch {
      // The terminal is gone.
    }
  }

  // Node writes to terminals with a blocking call, so a stopped terminal (Ctrl-S, a stuck connection) would block
  // everything, signals included. Other programs share the terminal's file, so blocking is restored for them.
  #setBlocking(blocking: boolean): void {
    const { _handle: handle } = this.#streams.stdout as { _handle?: { setBlocking?: (blocking: boolean) => void } };
    handle?.setBlocking?.(blocking);
  }
}
