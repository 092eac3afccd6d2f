// Splits configuration of nginx into statements. What is not nginx gives odd statements, which are masked.

/** A word of a statement. Offsets are those in the text, without quotation marks. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Number of the line in which it begins. */
  readonly line: number;
  readonly isQuoted: boolean;
  /** True where it goes over lines, has an escaped character, or text follows its quotation mark. */
  readonly isOdd: boolean;
}

/** Words up to the sign that ends them; `''` at the end of the text. */
export interface Statement {
  readonly words: readonly Word[];
  readonly end: ';' | '{' | '}' | '';
  /** Number of the line with that sign. */
  readonly endLine: number;
  /** Comments and blocks of Lua, which are hidden as a whole. */
  readonly hidden: readonly { readonly start: number; readonly end: number }[];
}

const BLANK = /[ \t\r\n]/;
const LUA_BLOCK = /_by_lua_block$/;

/** Yields the statements of a text. */
export function* statementsOf(text: string): Generator<Statement> {
  let words: Word[] = [];
  let hidden: { start: number; end: number }[] = [];
  let line = 0;
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    if (BLANK.test(sign)) {
      if (sign === '\n') line += 1;
      at += 1;
    } else if (sign === '#') {
      const end = endOfLine(text, at);
      if (end > at + 1) hidden.push({ start: at + 1, end });
      at = end;
    } else if (sign === ';' || sign === '{' || sign === '}') {
      at += 1;
      const endLine = line;
      if (sign === '{' && LUA_BLOCK.test(words[0]?.text ?? '')) {
        const end = endOfLua(text, at);
        if (end > at) hidden.push({ start: at, end });
        line += text.slice(at, end).split('\n').length - 1;
        at = end;
      }
      yield { words, end: sign, endLine, hidden };
      words = [];
      hidden = [];
    } else {
      const word = wordAt(text, at, line);
      words.push(word);
      at = word.end + Number(word.isQuoted);
      line += text.slice(word.start, at).split('\n').length - 1;
    }
  }
  yield { words, end: '', endLine: line, hidden };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function wordAt(text: string, start: number, line: number): Word {
  const quote = /["']/.test(text.charAt(start)) ? text.charAt(start) : undefined;
  if (quote !== undefined) {
    const end = endOfQuoted(text, start + 1, quote);
    const inside = text.slice(start + 1, end);
    const isClosed = text.charAt(end) === quote;
    const after = text.charAt(end + 1);
    if (isClosed && (after === '' || /[\s;{})]/.test(after))) {
      return { text: inside, start: start + 1, end, line, isQuoted: true, isOdd: /[\\\n]/.test(inside) };
    }
    return {
      text: '',
      start,
      end: endOfBare(text, Math.min(end + 1, text.length)),
      line,
      isQuoted: false,
      isOdd: true,
    };
  }
  const end = endOfBare(text, start);
  const inside = text.slice(start, end);
  return { text: inside, start, end, line, isQuoted: false, isOdd: /\n/.test(inside) };
}

/** Offset of the quotation mark that ends a word, or of the end of the text. */
function endOfQuoted(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) return at;
  }
  return text.length;
}

function endOfBare(text: string, from: number): number {
  let at = from;
  while (at < text.length && !/[\s;{}]/.test(text.charAt(at))) {
    const sign = text.charAt(at);
    // `${name}` is a part of the word.
    const variable = sign === '$' ? /^\$\{\w*\}/.exec(text.slice(at, at + 100)) : null;
    at += sign === '\\' ? 2 : (variable?.[0].length ?? 1);
  }
  return Math.min(at, text.length);
}

const LONG_BRACKET = /^\[(=*)\[/;

/** Offset of the bracket that ends a block of Lua, or of the end of the text. */
function endOfLua(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const sign = text.charAt(at);
    const isComment = text.startsWith('--', at);
    const long = LONG_BRACKET.exec(text.slice(isComment ? at + 2 : at, at + 100));
    if (long !== null) {
      const end = text.indexOf(`]${long[1]}]`, at);
      if (end < 0) return text.length;
      at = end + 1;
    } else if (isComment) at = endOfLine(text, at);
    else if (sign === '"' || sign === "'") at = endOfQuoted(text, at + 1, sign);
    else if (sign === '{') depth += 1;
    else if (sign === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}
