// The terminal this process runs in: its modes, its size, its keys, and that it is given back however this ends. Loaded
// before everything else, so it imports next to nothing.
import { writeSync } from 'node:fs';
import { type KeyReader, readKeys } from './input/reader.ts';
import type { Input } from './input/splitter.ts';
import { BARE_END, bareText, ENTER, LEAVE, MOUSE_OFF, MOUSE_ON } from './modes.ts';

/** Giving the terminal back never waits longer than this for one that takes nothing any more, milliseconds. */
const FLUSH_MS = 1_000;
/** A stop that has not stopped this process by then has been ignored (there is no shell to go back to), milliseconds. */
const STOP_MS = 100;

/** The streams of a process that runs in a terminal. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream & { readonly fd: number };
}

/** What else has to happen when the terminal is left and taken again. */
export interface Painter {
  readonly stop: () => void;
  readonly start: () => void;
  /** A key has come. */
  readonly urgent: () => void;
}

type Listener = (inputs: readonly Input[]) => void;

/** One terminal, from the moment it is opened. */
export class RealTerminal {
  readonly #streams: Streams;
  readonly #listeners = new Set<Listener>();
  #painter: Painter | null = null;
  #reader: KeyReader | null = null;
  /** Ours at the moment. */
  #isOurs = false;
  #isSuspended = false;
  #hasMouse = false;
  /** Set while bare text is shown. */
  #isBare = false;

  constructor(streams: Streams) {
    this.#streams = streams;
    const { stdin, stdout } = streams;
    // The terminal may be gone (SIGHUP); a failing read or write must not become a crash of its own.
    stdout.on('error', () => undefined);
    stdin.on('error', () => undefined);
  }

  get columns(): number {
    return this.#streams.stdout.columns;
  }

  get rows(): number {
    return this.#streams.stdout.rows;
  }

  /** Takes the terminal, and shows this until there is more to see. */
  open(first = ''): void {
    process.on('exit', this.#onExit);
    process.on('SIGTSTP', this.#onStop);
    process.on('SIGCONT', this.#onContinue);
    this.#take(first);
  }

  /** Whoever paints: stopped while the terminal is somebody else's. */
  setPainter(painter: Painter): void {
    this.#painter = painter;
  }

  /** Hears keys; returns how to stop that. Until somebody does, they wait. */
  onInput(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#read();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopReading();
    };
  }

  /** Told of every change of the terminal's size. */
  onResize(listener: () => void): () => void {
    const { stdout } = this.#streams;
    stdout.on('resize', listener);
    return () => stdout.off('resize', listener);
  }

  /** Writes; `written` is called once the terminal has taken it. */
  write(text: string, written?: () => void): void {
    this.#streams.stdout.write(text, () => written?.());
  }

  /** Gives the terminal back for good. Resolves when it has taken that, or takes nothing any more. */
  async close(): Promise<void> {
    process.off('SIGTSTP', this.#onStop);
    process.off('SIGCONT', this.#onContinue);
    await this.#giveBack();
    this.#streams.stdin.pause();
  }

  /** Whether another program has the terminal. */
  get isLent(): boolean {
    return this.#isSuspended;
  }

  /** Asks for reports of the mouse, or for none. While there are none, the terminal's own selection works. */
  setMouse(on: boolean): void {
    if (on === this.#hasMouse) return;
    this.#hasMouse = on;
    if (this.#isOurs && !this.#isBare) this.write(on ? MOUSE_ON : MOUSE_OFF);
  }

  /** Shows as many of these lines as there is room for, and nothing else, until a key is pressed. */
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

  /** Hands the terminal to another program while `run` is under way. */
  async suspend<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isSuspended) throw new Error('the terminal is handed over already');
    this.#isSuspended = true;
    try {
      await this.#giveBack();
      // Whoever has the terminal is stopped together with this process: nobody may listen for that meanwhile.
      process.off('SIGTSTP', this.#onStop);
      return await run();
    } finally {
      process.on('SIGTSTP', this.#onStop);
      this.#isSuspended = false;
      this.#take('');
    }
  }

  /** Back to the shell until it continues this process. `group`: with those it was started with, as Ctrl-Z does. */
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

  // Stopped and continued by somebody who did not ask us: the shell has had the terminal in between.
  readonly #onContinue = (): void => {
    if (this.#isSuspended || !this.#isOurs) return;
    this.#stopReading();
    this.#take('');
  };

  // The last resort, for whatever ends the process past all of the above.
  readonly #onExit = (): void => {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    try {
      this.#setRaw(false);
      writeSync(this.#streams.stdout.fd, LEAVE);
    } catch {
      // There is no terminal any more.
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
      // Reports that nobody asked for, or that were on their way when they were switched off.
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

  // Node writes to terminals with a blocking call: one that is stopped (Ctrl-S, a stuck connection) would stop
  // everything, signals included. Others share the terminal's file, so it is as before when they have it.
  #setBlocking(blocking: boolean): void {
    const { _handle: handle } = this.#streams.stdout as { _handle?: { setBlocking?: (blocking: boolean) => void } };
    handle?.setBlocking?.(blocking);
  }
}
