// Secrets in files: `${env:NAME}` stands for an environment variable, as a whole value or as a part of it.

/** Reads an environment variable; undefined where it is missing or empty. */
export type ReadVariable = (name: string) => string | undefined;

/** Shown in the place of a secret. */
export const SECRET = '(secret)';

const PLACE = /\$\$\{env:|\$\{env:([^}]*)(\}?)/g;

/** Texts that are shorter are found everywhere, and are no secrets. */
const HIDDEN_MIN = 4;

/** Replaces the places of variables in values, and remembers what they held. */
export class SecretReader {
  readonly #read: ReadVariable;
  readonly #values = new Set<string>();

  constructor(read: ReadVariable) {
    this.#read = read;
  }

  /** Fills the places in a value and in its members. `refuse` is called with the reason where one cannot be filled. */
  fill(value: unknown, refuse: (why: string) => void): { readonly value: unknown; readonly isSecret: boolean } {
    let isSecret = false;
    const fillText = (text: string): string =>
      text.replaceAll(PLACE, (place, name: string | undefined, end: string | undefined) => {
        if (name === undefined) return place.slice(1);
        isSecret = true;
        const variable = this.#variable(name, end === '}', refuse);
        if (variable === undefined) return '';
        if (variable.length >= HIDDEN_MIN) this.#values.add(variable);
        return variable;
      });
    const fillAny = (one: unknown): unknown => {
      if (typeof one === 'string') return fillText(one);
      if (Array.isArray(one)) return one.map(fillAny);
      // Dates of TOML and the like stay as they are, to be refused by the schema.
      if (typeof one !== 'object' || one === null || one instanceof Date) return one;
      return Object.fromEntries(Object.entries(one).map(([key, member]) => [key, fillAny(member)]));
    };
    return { value: fillAny(value), isSecret };
  }

  #variable(name: string, isClosed: boolean, refuse: (why: string) => void): string | undefined {
    if (!isClosed || !/^[A-Za-z_]\w*$/.test(name)) {
      refuse(`has a place without the name of a variable: write \${env:NAME}, or $\${env: for the text itself`);
      return undefined;
    }
    const value = this.#read(name);
    if (value === undefined) refuse(`needs the environment variable ${name}, which is not set`);
    return value;
  }

  /** Removes what variables held from a message. */
  hide(message: string): string {
    let text = message;
    for (const value of [...this.#values].sort((a, b) => b.length - a.length)) text = text.replaceAll(value, SECRET);
    return text;
  }
}

/** Writes text so that nothing in it is a place. */
export const escapePlaces = (text: string): string => text.replaceAll('${env:', (place) => `$${place}`);
