// Fields of a line that are stored beside its text: bounded, and storable for any sender.
import { cleanText, type LineFields } from './log-line.ts';

/** The limit of attributes that OpenTelemetry's SDKs have by default. */
const MAX_FIELDS = 128;
export const MAX_FIELD_NAME = 128;
const MAX_FIELD_VALUE = 4_096;
/** Maximum characters of all names and values of a line together. */
const MAX_TEXT = 32_768;
/** Maximum number of lost names that are listed for one reason, and of the characters shown of each. */
const MAX_LISTED = 32;
const MAX_SHOWN = 64;
const TOO_LONG_NAME = `The name has more than ${MAX_FIELD_NAME} characters`;
const TOO_LONG_VALUE = `The value is cut after ${MAX_FIELD_VALUE} characters`;
const TAKEN_NAME = 'Another field has the name';
const TOO_MANY = `The line has more than ${MAX_FIELDS} fields`;
const TOO_MUCH = `The fields of the line have more than ${MAX_TEXT} characters`;

/** Fields that were not stored, or not as they came. */
export interface LostFields {
  /** The reason, as a sentence without its period. */
  readonly reason: string;
  /** The names, at most 32. */
  readonly names: string[];
}

/**
 * Collects fields: at most 128, a name of at most 128 and a value of at most 4,096 characters, 32,768 characters
 * together. The first field of a name wins.
 */
export class FieldSet {
  // With a prototype: objects without one are slow to fill, and every line fills one.
  readonly #fields: Record<string, string> = {};
  #size = 0;
  #text = 0;
  #lost: Map<string, LostFields> | undefined;

  /**
   * Adds a field and cuts its value. It skips an empty name or value. It loses a field too many, and a name that is too
   * long or taken.
   */
  add(name: string, value: string): void {
    if (name === '' || value === '') return;
    const key = name.length > MAX_FIELD_NAME ? name : cleanText(name);
    const text = cleanText(value.length > MAX_FIELD_VALUE ? value.slice(0, MAX_FIELD_VALUE) : value);
    const reason = this.#reasonAgainst(key, text);
    if (reason === undefined) this.#set(key, text);
    else if (this.#fields[key] !== text) this.lose(name, reason);
    if (reason === undefined && value.length > MAX_FIELD_VALUE) this.lose(name, TOO_LONG_VALUE);
  }

  /** Reports whether there is a field of this name. */
  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }

  /** Returns the fields; `undefined` when there are none. */
  take(): LineFields | undefined {
    return this.#size === 0 ? undefined : this.#fields;
  }

  /**
   * Returns the fields, and in `fields_dropped` those that were lost: for senders that get no answer. It comes first,
   * so that another set that takes these fields does not lose it.
   */
  takeWithLost(): LineFields | undefined {
    if (this.#lost === undefined) return this.take();
    const fields = Object.entries(this.#fields);
    for (const [name] of fields.splice(MAX_FIELDS - 1)) this.lose(name, TOO_MANY);
    const lost = [...this.lost()].map(({ reason, names }) => `${names.join(', ')}: ${reason}`).join('; ');
    return Object.fromEntries([['fields_dropped', lost.slice(0, MAX_FIELD_VALUE)], ...fields]);
  }

  /** Returns the fields that were lost, by reason. */
  lost(): Iterable<LostFields> {
    return this.#lost?.values() ?? [];
  }

  /** Records a loss of a field. The reason is a sentence without its period. */
  lose(name: string, reason: string): void {
    this.#lost ??= new Map();
    const lost = this.#lost.get(reason);
    if (lost === undefined) this.#lost.set(reason, { reason, names: [shownName(name)] });
    else if (lost.names.length < MAX_LISTED) lost.names.push(shownName(name));
  }

  #reasonAgainst(key: string, text: string): string | undefined {
    if (key.length > MAX_FIELD_NAME) return TOO_LONG_NAME;
    if (Object.hasOwn(this.#fields, key)) return TAKEN_NAME;
    if (this.#size >= MAX_FIELDS) return TOO_MANY;
    return this.#text + key.length + text.length > MAX_TEXT ? TOO_MUCH : undefined;
  }

  #set(key: string, text: string): void {
    if (key === '__proto__') Object.defineProperty(this.#fields, key, { value: text, enumerable: true });
    else this.#fields[key] = text;
    this.#size += 1;
    this.#text += key.length + text.length;
  }
}

const shownName = (name: string) => cleanText(name.slice(0, MAX_SHOWN));
