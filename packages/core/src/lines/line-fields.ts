// Fields of a line that are stored beside its text: few, short, and storable for any sender.
import { cleanText, type LineFields } from './log-line.ts';

const MAX_FIELDS = 32;
const MAX_NAME = 64;
const MAX_VALUE = 1_024;

/**
 * Collects fields: at most 32, a name of at most 64 and a value of at most 1,024 characters. The first field of a name
 * wins.
 */
export class FieldSet {
  // With a prototype: objects without one are slow to fill, and every line fills one.
  readonly #fields: Record<string, string> = {};
  #size = 0;

  /** Adds a field. It skips an empty name or value, a field too many, and a name that is too long or taken. */
  add(name: string, value: string): void {
    if (name === '' || value === '' || name.length > MAX_NAME || this.#size >= MAX_FIELDS) return;
    const key = storable(name);
    if (Object.hasOwn(this.#fields, key)) return;
    if (key === '__proto__') {
      Object.defineProperty(this.#fields, key, { value: storable(value), enumerable: true });
    } else this.#fields[key] = storable(value);
    this.#size += 1;
  }

  /** Returns the fields; `undefined` when there are none. */
  take(): LineFields | undefined {
    return this.#size === 0 ? undefined : this.#fields;
  }
}

function storable(text: string): string {
  return cleanText(text.length > MAX_VALUE ? text.slice(0, MAX_VALUE) : text);
}
