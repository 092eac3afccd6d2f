// Paints Ink's frame and the regions on the terminal. The only writer of cells.
import { Composer, type Region } from './composer.ts';
import { type CursorLooks, cursorAt, showCursor } from './cursor.ts';
import { diffRow, type Pen } from './diff.ts';
import type { Row } from './row.ts';
import { applyScroll, findScroll, scrollSequence } from './scroll.ts';
import { DEFAULT_STYLE, transition } from './style.ts';

/** The terminal, as far as the compositor uses it. */
export interface Output {
  readonly columns: number;
  readonly rows: number;
  /** Writes text. Calls `written` once the terminal has accepted it; the compositor writes nothing more until then. */
  readonly write: (text: string, written: () => void) => void;
}

/** Timing of paints; replaced in tests. */
export interface Pacing {
  /** Minimum time between two paints without a key, milliseconds. */
  readonly everyMs: number;
  /** Time after a key during which every change is painted at once, milliseconds. */
  readonly urgentMs: number;
}

const PACING: Pacing = { everyMs: 33, urgentMs: 100 };

const BEGIN_UPDATE = '\u001B[?2026h';
const END_UPDATE = '\u001B[?2026l';
/** Minimum number of changed rows for the search for a scroll. */
const SCROLL_ROWS_MIN = 3;

/** Paints one terminal. */
export class Compositor {
  readonly #output: Output;
  readonly #pacing: Pacing;
  /** Null if the cursor is hidden. */
  readonly #cursor: CursorLooks | null;
  readonly #composer = new Composer();
  #hasFrame = false;
  /** Rows on the terminal; null where the content is unknown. */
  #shown: (Row | null)[] = [];
  readonly #pen: Pen = { style: DEFAULT_STYLE, row: -1, column: 0 };
  #isWriting = false;
  #isDirty = false;
  #isStopped = false;
  #paintedAtMs = Number.NEGATIVE_INFINITY;
  #urgentUntilMs = Number.NEGATIVE_INFINITY;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output, pacing: Pacing = PACING, cursor: CursorLooks | null = null) {
    this.#cursor = cursor;
    this.#output = output;
    this.#pacing = pacing;
  }

  /** Opens a region. `position` returns its first cell. */
  open(position: () => { readonly x: number; readonly y: number }): Region {
    return this.#composer.open(position, () => this.#changed());
  }

  /** Reads a frame of Ink. */
  frame(text: string): void {
    this.#composer.read(text, this.#output.columns);
    this.#hasFrame = true;
    this.#changed();
  }

  /** Paints the next changes at once, because a key has arrived. */
  urgent(): void {
    this.#urgentUntilMs = performance.now() + this.#pacing.urgentMs;
    if (this.#isDirty) this.#schedule();
  }

  /** Writes every cell again. */
  repaint(): void {
    this.#shown = [];
    this.urgent();
    this.#changed();
  }

  /** Stops writing until {@link start}. */
  stop(): void {
    this.#isStopped = true;
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
  }

  /** Starts writing again, with the whole screen. */
  start(): void {
    this.#isStopped = false;
    this.repaint();
  }

  #changed(): void {
    this.#isDirty = true;
    this.#schedule();
  }

  #schedule(): void {
    // A slow terminal gets the newest state once it has accepted the last paint; states in between are dropped.
    if (this.#isStopped || this.#isWriting || this.#immediate !== undefined) return;
    const now = performance.now();
    const waitMs = now < this.#urgentUntilMs ? 0 : this.#paintedAtMs + this.#pacing.everyMs - now;
    if (waitMs <= 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      // Waits for the end of the commit: regions report their content after Ink has drawn its frame.
      this.#immediate = setImmediate(() => this.#paint());
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#paint();
    }, waitMs);
  }

  #paint(): void {
    this.#immediate = undefined;
    if (this.#isStopped || this.#isWriting || !this.#hasFrame) return;
    this.#isDirty = false;
    this.#paintedAtMs = performance.now();
    const text = this.#update();
    if (text === '') return;
    this.#isWriting = true;
    this.#output.write(text, () => {
      this.#isWriting = false;
      if (this.#isDirty) this.#schedule();
    });
  }

  /** Builds the sequences that turn the shown rows into the next ones. */
  #update(): string {
    const { columns, rows } = this.#output;
    const isKnown = this.#shown.length === rows && this.#shown[0]?.texts.length === columns;
    let shown = isKnown ? this.#shown : new Array<Row | null>(rows).fill(null);
    const next = this.#composer.compose(columns, rows, shown);
    let out = '';
    if (!isKnown) {
      this.#pen.row = -1;
      this.#pen.style = DEFAULT_STYLE;
      out += '\u001B[m';
    } else if (shown.filter((row, index) => row !== next[index]).length >= SCROLL_ROWS_MIN) {
      const known = shown as Row[];
      const scroll = findScroll(known, next);
      if (scroll !== null) {
        out += transition(this.#pen.style, DEFAULT_STYLE) + scrollSequence(scroll);
        this.#pen.style = DEFAULT_STYLE;
        this.#pen.row = 0;
        this.#pen.column = 0;
        shown = applyScroll(known, scroll);
      }
    }
    for (const [index, row] of next.entries()) out += diffRow(this.#pen, index, shown[index] ?? null, row);
    this.#shown = next;
    if (this.#cursor !== null) out += showCursor(this.#pen, cursorAt(next, this.#cursor));
    return out === '' ? '' : BEGIN_UPDATE + out + END_UPDATE;
  }
}
