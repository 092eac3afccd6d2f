// Finds the keys of a TOML text with their positions, which the parser does not tell. Expects a text that parses.

/** A key of the text: its whole path, with the index in arrays, and its place. Offsets are in UTF-16 units. */
export interface TomlNode {
  readonly path: readonly string[];
  /** `header`: `[name]` or `[[name]]`. `entry`: a key with a line of its own. `inline`: a key inside braces. */
  readonly kind: 'header' | 'entry' | 'inline';
  readonly start: number;
  /** Start of the value; the end of a header. */
  readonly value: number;
  readonly end: number;
}

const BLANKS = /[ \t]*/y;
/** Blanks, line ends, comments, and the commas between items. */
const TRIVIA = /(?:[\s,]|#[^\n]*)*/y;
const STRING = /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const BARE_VALUE = /[^,\]}#\r\n]*/y;

/** Reads a text from its start to its end. */
class TomlScanner {
  readonly nodes: TomlNode[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): void {
    /** Path of the tables in arrays -> number of tables so far. */
    const counts = new Map<string, number>();
    let table: readonly string[] = [];
    for (this.#take(TRIVIA); this.#at < this.#text.length; this.#take(TRIVIA)) {
      const start = this.#at;
      if (this.#text[start] === '[') {
        table = this.#header(counts);
        this.nodes.push({ path: table, kind: 'header', start, value: this.#at, end: this.#at });
      } else this.#pair(table, 'entry');
      // A character that no rule knows must not stop the scan.
      if (this.#at === start) this.#at += 1;
    }
  }

  /** Reads `[a.b]` or `[[a.b]]`. Adds the index after each part that is an array of tables. */
  #header(counts: Map<string, number>): readonly string[] {
    const isArray = this.#text.startsWith('[[', this.#at);
    this.#at += isArray ? 2 : 1;
    const parts = this.#key();
    this.#at += isArray ? 2 : 1;
    const path: string[] = [];
    for (const [index, part] of parts.entries()) {
      path.push(part);
      const name = JSON.stringify(path);
      const count = counts.get(name);
      if (isArray && index === parts.length - 1) {
        counts.set(name, (count ?? 0) + 1);
        path.push(String(count ?? 0));
      } else if (count !== undefined) path.push(String(count - 1));
    }
    return path;
  }

  #pair(table: readonly string[], kind: 'entry' | 'inline'): void {
    const start = this.#at;
    const path = [...table, ...this.#key()];
    this.#at += 1;
    this.#take(BLANKS);
    const value = this.#at;
    // The key comes before the keys inside its value.
    const index = this.nodes.length;
    this.#value(path);
    this.nodes.splice(index, 0, { path, kind, start, value, end: this.#at });
  }

  /** Reads a key up to what follows it: `a."b c".d`. */
  #key(): string[] {
    const parts: string[] = [];
    for (;;) {
      this.#take(BLANKS);
      const quoted = this.#take(STRING);
      parts.push(quoted === '' ? this.#take(BARE_KEY) : unquote(quoted));
      this.#take(BLANKS);
      if (this.#text[this.#at] !== '.') return parts;
      this.#at += 1;
    }
  }

  #value(path: readonly string[]): void {
    const first = this.#text[this.#at];
    if (first === '[') this.#items(']', (index) => this.#value([...path, String(index)]));
    else if (first === '{') this.#items('}', () => this.#pair(path, 'inline'));
    else if (this.#take(STRING) === '') {
      const bare = this.#take(BARE_VALUE);
      this.#at -= bare.length - bare.trimEnd().length;
    }
  }

  #items(close: string, read: (index: number) => void): void {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#take(TRIVIA);
      const before = this.#at;
      if (this.#text[before] === close || before >= this.#text.length) break;
      read(index);
      if (this.#at === before) break;
    }
    this.#at += 1;
  }

  /** Takes what matches here; an empty text if nothing does. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += taken.length;
    return taken;
  }
}

function unquote(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

/** Finds all keys, in the order of the text. */
export function tomlNodes(text: string): readonly TomlNode[] {
  const scanner = new TomlScanner(text);
  scanner.scan();
  return scanner.nodes;
}

/** Returns whether a path is another one or below it. */
export const isBelow = (path: readonly string[], top: readonly string[]): boolean =>
  top.every((part, index) => path[index] === part);

/** A place in a text; both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds the key at a path, or the first one below it; null without one. */
export function positionOf(text: string, path: readonly string[]): Position | null {
  const nodes = tomlNodes(text);
  const exact = nodes.find((node) => node.path.length === path.length && isBelow(node.path, path));
  const node = exact ?? nodes.find((one) => isBelow(one.path, path));
  if (node === undefined) return null;
  const lines = text.slice(0, node.start).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
