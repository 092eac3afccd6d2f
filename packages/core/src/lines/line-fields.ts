// The parts of a line that are kept beside its text: few, short, and storable, whatever the sender wrote.
import { cleanText } from './log-line.ts';

/** Names and values. Any name is one, `__proto__` as well. */
export type LineFields = Readonly<Record<string, string>>;

const MAX_FIELDS = 32;
const MAX_NAME = 64;
const MAX_VALUE = 1_024;

/** Gathers fields: at most 32, a name of at most 64 and a value of at most 1,024 characters; the first of a name stays. */
export class FieldSet {
  // Not without a prototype: such objects are slow to fill, and this is done for every line.
  readonly #fields: Record<string, string> = {};
  #size = 0;

  /** Leaves out a field without a name or a value, one too many, and one whose name is too long or already there. */
  add(name: string, value: string): void {
    if (name === '' || value === '' || name.length > MAX_NAME || this.#size >= MAX_FIELDS) return;
    const key = storable(name);
    if (Object.hasOwn(this.#fields, key)) return;
    if (key === '__proto__') {
      Object.defineProperty(this.#fields, key, { value: storable(value), enumerable: true });
    } else this.#fields[key] = storable(value);
    this.#size += 1;
  }

  /** `undefined` when there are none. */
  take(): LineFields | undefined {
    return this.#size === 0 ? undefined : this.#fields;
  }
}

function storable(text: string): string {
  return cleanText(text.length > MAX_VALUE ? text.slice(0, MAX_VALUE) : text);
}
