// Reads the smallest parts of a filter: words, quoted texts and expressions. It also counts what has a limit.
import { checkExpression, EXPRESSION_SIZE_MAX } from './expressions.ts';
import { type FieldNames, LINE_FIELDS } from './field-names.ts';
import { type Expression, FILTER_DEPTH_MAX, FILTER_TERMS_MAX, FilterError } from './filter.ts';

const BLANK = /[ \t\r\n]/;
/** Characters that a path hardly has, but many expressions have. */
const LIKE_EXPRESSION = /[()[\]{}|^\\]/;
const ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Text of a filter with the place that is read next. */
export class FilterScanner {
  readonly text: string;
  readonly names: FieldNames;
  at = 0;
  #depth = 0;
  #terms = 0;
  #expressionSize = 0;

  constructor(text: string, names: FieldNames = LINE_FIELDS) {
    this.text = text;
    this.names = names;
  }

  fail(message: string, start: number, end: number, expected: readonly string[] = []): never {
    throw new FilterError(message, start, end - start, expected);
  }

  has(part: string): boolean {
    return this.text.startsWith(part, this.at);
  }

  /** Reads a part that may be there. */
  take(part: string): boolean {
    if (!this.has(part)) return false;
    this.at += part.length;
    return true;
  }

  /** Reads what a sticky pattern matches here. */
  takeMatch(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  skipBlanks(): void {
    while (BLANK.test(this.text.charAt(this.at))) this.at += 1;
  }

  /** Reports whether a term may end here. */
  isBoundary(at: number = this.at): boolean {
    const next = this.text.charAt(at);
    return next === '' || next === ')' || BLANK.test(next);
  }

  requireBoundary(): void {
    if (!this.isBoundary()) this.fail('Put a blank between two terms.', this.at, this.at + 1, ['a blank', ')']);
  }

  /** Parses a part that is inside a group or a negation, which began at `start`. */
  nested<Part>(start: number, parse: () => Part): Part {
    this.#depth += 1;
    if (this.#depth > FILTER_DEPTH_MAX) {
      this.fail(`Groups and negations nest at most ${FILTER_DEPTH_MAX} deep.`, start, this.at);
    }
    const part = parse();
    this.#depth -= 1;
    return part;
  }

  /** Counts a term that began at `start`. */
  countTerm(start: number): void {
    this.#terms += 1;
    if (this.#terms <= FILTER_TERMS_MAX) return;
    this.fail(`A filter has at most ${FILTER_TERMS_MAX} terms.`, start, this.at);
  }

  /** Reads up to a blank, `stop`, or a closing parenthesis without an opening one in this word. */
  readWord(stop = ''): string {
    const start = this.at;
    for (let open = 0; this.at < this.text.length; this.at += 1) {
      const next = this.text.charAt(this.at);
      if (BLANK.test(next) || next === stop || (next === ')' && open === 0)) break;
      if (next === '(') open += 1;
      if (next === ')') open -= 1;
    }
    return this.text.slice(start, this.at);
  }

  /** Reads a text in double quotes. */
  readQuoted(): string {
    const start = this.at;
    let value = '';
    for (let at = start + 1; at < this.text.length; at += 1) {
      const next = this.text.charAt(at);
      if (next === '"') {
        this.at = at + 1;
        return value;
      }
      if (next === '\\') {
        at += 1;
        value += ESCAPES.get(this.text.charAt(at)) ?? this.#failEscape(at - 1);
      } else value += next;
    }
    return this.fail('The quoted text has no end.', start, this.text.length, ['"']);
  }

  #failEscape(at: number): never {
    const escapes = [...ESCAPES.keys()].map((letter) => `\\${letter}`);
    this.fail('Write \\\\ for a backslash in a quoted text.', at, Math.min(at + 2, this.text.length), escapes);
  }

  /**
   * Reads `/expression/` or `/expression/i`; undefined for a path such as `/var/log`. The first slash without a
   * backslash ends an expression, and a term must be able to end after it.
   */
  readExpression(): Expression | undefined {
    const start = this.at;
    let source = '';
    let at = start + 1;
    for (; at < this.text.length && this.text.charAt(at) !== '/'; at += 1) {
      const next = this.text.charAt(at);
      if (next === '\\') at += 1;
      const escaped = this.text.charAt(at);
      source += next === '\\' && escaped !== '/' ? next + escaped : escaped;
    }
    const flags = this.text.charAt(at + 1) === 'i' ? 'i' : '';
    const end = at + 1 + flags.length;
    if (at >= this.text.length || source === '' || !this.isBoundary(end)) return this.#refuseExpression();
    this.at = end;
    const expression = { source, flags };
    this.#check(expression, start);
    return expression;
  }

  /** Refuses a word that is neither a path nor a whole expression. */
  #refuseExpression(): undefined {
    const start = this.at;
    const word = this.readWord();
    if (LIKE_EXPRESSION.test(word)) {
      const hint = 'Write \\/ for a slash in an expression, end it with / or /i, and quote a text.';
      this.fail(`The expression has no end. ${hint}`, start, this.at, ['/expression/', '/expression/i', '"text"']);
    }
    this.at = start;
  }

  #check(expression: Expression, start: number): void {
    const checked = checkExpression(expression);
    if ('problem' in checked) this.fail(`The expression ${checked.problem}.`, start, this.at);
    this.#expressionSize += checked.size;
    if (this.#expressionSize <= EXPRESSION_SIZE_MAX) return;
    const limit = `at most ${EXPRESSION_SIZE_MAX} instructions`;
    this.fail(`The expressions are too large: together they have ${limit}. Repeat less.`, start, this.at);
  }
}
