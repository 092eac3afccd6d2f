// Words, numbers, addresses and paths of a text.
import { colonAddressEnd, ipv4End, isInterface, peerHostEnd, uuidEnd } from './addresses.ts';
import { BLANK, DIGIT, isHexRun, isQueryCode, isWordCode, kindOf, LETTER } from './characters.ts';
import {
  ciscoCodeEnd,
  errorCodeEnd,
  httpStatusAt,
  hyphenNameEnd,
  isNumberedName,
  keptNumberEnd,
  namedCodeEnd,
  replyEnd,
  sqlStateEnd,
  statusEnd,
} from './codes.ts';
import { FormCursor } from './form-cursor.ts';
import { hardwareEnd, isRandomWord, jwtEnd, podEnd } from './ids.ts';
import { dateWordEnd, directionEnd, isIdMark, longIdEnd, numberTailEnd, unitEnd } from './numbers.ts';
import { foldHostBehind, foldNodeBefore } from './peers.ts';
import { escapesQuote, isPlaceInCode, isQueryKey, pathEnd, pathRun } from './tokens.ts';
import { bareValueEnd, hasNameMark, isWhoKey, nodeNameEnd, userFieldEnd, userNameEnd } from './users.ts';

const MAX_WORD = 64;
/** From this length on, a word of the letters `a` to `f` is a number. */
const HEX_WORD = 8;
/** The same for a word that ends with digits. */
const HEX_ID = 7;
const USER = 'user';
const PERCENT = 0x25;
const COMMA = 0x2c;
/** Digits that a code behind letters has at least. */
const CODE_DIGITS = 3;
/** Length of the reply of a mail server. */
const REPLY = 3;
const SPACED_EQUALS = ' = ';
/** Length of the longest word before the name of a node. */
const NODE_WORD_MAX = 8;
/** Keys whose values, in JSON and in `key="value"`, carry the message. Other values are replaced. */
export const MESSAGE_KEYS = new Set([
  'msg',
  'message',
  'err',
  'error',
  'event',
  'reason',
  'exception',
  'type',
  'level',
  'logger',
]);

/** Writes words, and what begins with a letter, a digit or one of a few marks. */
export abstract class FormWords extends FormCursor {
  /** True inside a double-quoted value. */
  protected inValue = false;
  /** True while a frame of a stack trace is written: its paths name code. */
  protected inFrame = false;
  /** Paths before this index stay, and are not searched again. */
  protected keptPathEnd = 0;

  override begin(text: string): void {
    super.begin(text);
    this.inValue = false;
    this.inFrame = false;
    this.keptPathEnd = 0;
  }

  /** Writes the double-quoted value at the position; only its volatile parts are replaced. */
  protected abstract messageValue(): void;

  protected word(firstKind: number): void {
    const { text, end: limit } = this;
    const start = this.at;
    let end = start;
    if (firstKind === LETTER) {
      do end += 1;
      while (end < limit && kindOf(text.charCodeAt(end)) === LETTER);
      const next = text.charCodeAt(end);
      // Most words end here: without a number or a character that an address or an id continues with.
      if (end >= limit || (next !== 0x3a && next !== 0x2d && kindOf(next) !== DIGIT)) {
        const isSpecial =
          next === 0x2e ? this.#token() || this.#hardware(start, end) || this.#host() : isIdMark(next) && this.#id(end);
        if (!isSpecial) this.#plainWord(start, end);
        return;
      }
    }
    let digitAt = -1;
    let hasTail = false;
    for (; end < limit; end += 1) {
      const kind = kindOf(text.charCodeAt(end));
      if (kind === DIGIT) {
        if (digitAt < 0) digitAt = end;
      } else if (kind === LETTER) {
        if (digitAt >= 0) hasTail = true;
      } else break;
    }
    const next = text.charCodeAt(end);
    if ((next === 0x2e || next === 0x2d) && (this.#hardware(start, end) || this.#host())) return;
    if (next === 0x3a && digitAt > start && this.#host()) return;
    if (digitAt > start && (this.#errorCode(digitAt, end) || this.#interface(digitAt, end, hasTail))) return;
    if (next === 0x20 && end - start === REPLY && this.isTokenStart() && this.copied(replyEnd(text, start), true))
      return;
    if (end - start <= 8 && this.#addressOrId(start, end, firstKind)) return;
    if (this.#token()) return;
    if (digitAt < 0) {
      if (next === 0x2d && (this.#errorCode(end, end) || this.copied(hyphenNameEnd(text, start, end), true))) return;
      if (next !== 0x3a || end - start > 1 || !this.#drivePath()) this.#plainWord(start, end);
      return;
    }
    if (firstKind === LETTER && isNumberedName(text, start, digitAt, end)) {
      this.copied(end, true);
      return;
    }
    const isName = firstKind === LETTER && !hasTail && !isHash(text, start, digitAt, end);
    const keepsName = isName && !isRandomWord(text, start, digitAt);
    if (keepsName) {
      if (this.form.last === COMMA) foldNodeBefore(this.form, text.slice(start, digitAt));
      this.form.copy(text, start, Math.min(digitAt, start + MAX_WORD));
    }
    this.#number(keepsName ? digitAt : start, end);
  }

  /** Writes the first name of an id with several numbers: `Package_for_KB17_5` and `Package_2_for_KB17` are alike. */
  #id(nameEnd: number): boolean {
    if (!this.isTokenStart() || this.inFrame) return false;
    const end = longIdEnd(this.text, nameEnd, this.end);
    const isNumber = isHexWord(this.text, this.at, nameEnd) || isRandomWord(this.text, this.at, nameEnd);
    if (end === nameEnd || isNumber) return false;
    this.copied(Math.min(nameEnd, this.at + MAX_WORD), true);
    this.form.put(this.code(nameEnd));
    this.#number(nameEnd + 1, end);
    return true;
  }

  /** Writes a number from `from` to `end`, or further. */
  #number(from: number, end: number): void {
    this.form.write('<num>');
    this.inWord = true;
    const tail = podEnd(this.text, numberTailEnd(this.text, end, this.end), this.end);
    this.at = unitEnd(this.text, tail, this.end);
    this.onPart?.(from, this.at, '<num>');
  }

  #addressOrId(start: number, end: number, firstKind: number): boolean {
    const length = end - start;
    const next = this.code(end);
    if (length === 8 && next === 0x2d) return this.replaced(uuidEnd(this.text, start), '<id>');
    if (length <= 4 && next === 0x3a) return this.address(colonAddressEnd(this.text, start));
    return length <= 3 && next === 0x2e && firstKind === DIGIT && this.address(ipv4End(this.text, start));
  }

  /** Writes a JSON web token. */
  #token(): boolean {
    return this.code(this.at) === 0x65 && this.isTokenStart() && this.replaced(jwtEnd(this.text, this.at), '<id>');
  }

  #hardware(start: number, end: number): boolean {
    const length = end - start;
    if ((length !== 2 && length !== 4) || !this.isTokenStart() || this.inFrame) return false;
    return this.address(hardwareEnd(this.text, start));
  }

  /** Writes a number that names the error: `ORA-00942`, `AH00094`, `error[E0382]`. The word ends at `end`. */
  #errorCode(nameEnd: number, end: number): boolean {
    const { text, at, form } = this;
    if (form.last === PERCENT) return this.copied(ciscoCodeEnd(text, nameEnd), true);
    if (!this.isTokenStart()) return false;
    if (this.copied(errorCodeEnd(text, at, nameEnd), true)) return true;
    const first = text.charCodeAt(at);
    if (end - nameEnd < CODE_DIGITS || first < 0x41 || first > 0x5a) return false;
    const before = form.isAtLineStart ? undefined : form.wordBefore(form.last === 0x5b ? form.length - 1 : form.length);
    return this.copied(namedCodeEnd(text, at, end, before), true);
  }

  /** Writes the name of a network interface: `en0`, `eth1.100`, `enp3s0`. */
  #interface(digitAt: number, end: number, hasTail: boolean): boolean {
    if (!isInterface(this.text, this.at, digitAt, hasTail) || !this.isTokenStart()) return false;
    return this.replaced(numberTailEnd(this.text, end, this.end), '<str>');
  }

  /** Copies a word with its number, with one blank for several. */
  #spaced(end: number): boolean {
    if (end < 0 || end > this.end) return false;
    while (this.at < end) {
      const code = this.code(this.at);
      if (kindOf(code) === BLANK) this.blank();
      else this.literal(code);
    }
    this.inWord = true;
    return true;
  }

  /** Writes `HTTP/1.1 404` without its version. */
  #httpStatus(): boolean {
    const to = httpStatusAt(this.text, this.at);
    if (to < 0 || to >= this.end) return false;
    this.form.write('HTTP/<num>');
    this.at = to;
    return this.status();
  }

  /** Writes the status of HTTP behind a request. */
  protected status(): boolean {
    const end = statusEnd(this.text, this.at);
    if (end < 0 || end > this.end) return false;
    this.blank();
    return this.copied(end, true);
  }

  #host(): boolean {
    return this.isTokenStart() && !this.inFrame && this.address(peerHostEnd(this.text, this.at, this.end));
  }

  /** Letters only. */
  #plainWord(start: number, end: number): void {
    const date = end - start === 3 ? dateWordEnd(this.text, start) : -1;
    if (date > 0 && date < this.end) {
      this.at = date;
      return;
    }
    if (this.#spaced(keptNumberEnd(this.text, start, end, this.end))) return;
    // Most words are none of these: their first letter or their length tells.
    if (this.code(end) === 0x2f && this.code(start) === 0x48 && this.#httpStatus()) return;
    if (this.code(start) === 0x53 && this.copied(sqlStateEnd(this.text, start), true)) return;
    if (isHexWord(this.text, start, end) || isRandomWord(this.text, start, end)) {
      this.#number(start, end);
      return;
    }
    if (end - start === USER.length && this.#user()) return;
    if (end - start === 1 && this.isTokenStart() && this.replaced(directionEnd(this.text, end, this.end), '<str>'))
      return;
    this.form.copy(this.text, start, Math.min(end, start + MAX_WORD));
    this.at = end;
    this.inWord = true;
    const next = this.code(end);
    if (next === 0x3d && end + 1 < this.end) this.#keyed(start);
    else if (next === 0x20 && this.code(end + 1) === 0x3d) this.#spacedKey(start);
    else if (next === 0x20 && end - start <= NODE_WORD_MAX) this.#node(start, end);
  }

  /** Writes the value behind `key = ` if it says who it was. */
  #spacedKey(keyAt: number): void {
    const from = this.at + SPACED_EQUALS.length;
    if (from >= this.end || !this.text.startsWith(SPACED_EQUALS, this.at) || !isWhoKey(this.text, keyAt, this.at))
      return;
    const end = bareValueEnd(this.text, from, this.end);
    // `node = down` is a state.
    if (!hasNameMark(this.text, from, end)) return;
    this.form.write(SPACED_EQUALS);
    this.at = from;
    this.replaced(end, '<str>');
  }

  /** Writes the name behind `node` and the like, and once more where it is repeated: `name dn228 dn228`. */
  #node(start: number, end: number): void {
    const to = nodeNameEnd(this.text, start, end, this.end);
    if (to < 0) return;
    this.blank();
    if (this.code(this.at) === 0x28) this.literal(0x28);
    this.replaced(to, '<str>');
    const name = this.text.slice(end, to);
    if (this.text.startsWith(name, to) && !isWordCode(this.code(to + name.length))) this.at = to + name.length;
  }

  /** Writes the value behind `key=` if it is a message or says who it was. `keyAt` is the beginning of the key. */
  #keyed(keyAt: number): void {
    const { text, at } = this;
    if (this.code(at + 1) === 0x22) {
      if (!MESSAGE_KEYS.has(text.slice(keyAt, at))) return;
      this.literal(0x3d);
      this.messageValue();
    } else if (isWhoKey(text, keyAt, at)) {
      this.literal(0x3d);
      const end = bareValueEnd(text, this.at, this.end);
      if (end > this.at) this.replaced(end, '<str>');
    }
  }

  /** Writes `user NAME` without the name. */
  #user(): boolean {
    if (!this.text.startsWith(USER, this.at) || !this.isTokenStart()) return false;
    const at = this.at + USER.length;
    const fieldEnd = userFieldEnd(this.text, at, this.end);
    if (fieldEnd > 0) {
      this.form.write('user: ');
      return this.replaced(fieldEnd, '<str>');
    }
    const end = userNameEnd(this.text, at, this.end, this.form);
    if (end < 0) return false;
    this.form.write(USER);
    this.form.blank();
    return this.replaced(end, '<str>');
  }

  /** Drops a sign, or what says that a number is only about right: `-5`, `<1`. */
  protected sign(): boolean {
    // A reply without its sign would be the day of a date before it.
    if (kindOf(this.code(this.at + 1)) !== DIGIT || replyEnd(this.text, this.at + 1) > 0) return false;
    this.at += 1;
    return true;
  }

  /** Replaces a path that begins with a slash, with its query. */
  protected path(): boolean {
    const next = this.code(this.at + 1);
    const begins = kindOf(next) === LETTER || next === 0x2e || next === 0x5f || next === 0x7e || next === 0x2a;
    return begins && this.#path(this.at + 1);
  }

  /** Replaces a path that begins with a drive and a backslash. */
  #drivePath(): boolean {
    return this.code(this.at + 2) === 0x5c && !this.inValue && this.#path(this.at + 2);
  }

  /** A path that names a place in code stays, and so does one behind a quote, see {@link isApart}. */
  #path(from: number): boolean {
    const { text, at, end } = this;
    if (this.inFrame || at < this.keptPathEnd || !this.isTokenStart()) return false;
    const to = pathRun(text, from, end);
    if (!isPlaceInCode(text, to, end) && !escapesQuote(text, to))
      return this.replaced(pathEnd(text, at, to, end), '<str>');
    this.keptPathEnd = to;
    return false;
  }

  /** Writes a URL or a path up to its query. Other question marks say something. */
  protected query(): boolean {
    const isQuery = this.form.hasSlash || isQueryKey(this.text, this.at + 1, this.end);
    this.literal(0x3f);
    while (isQuery && this.at < this.end && isQueryCode(this.code(this.at))) this.at += 1;
    return true;
  }

  /** Writes a closing parenthesis, or nothing and takes back the name of the host behind an address. */
  protected closing(): boolean {
    if (!foldHostBehind(this.form)) return false;
    this.at += 1;
    this.inWord = true;
    return true;
  }
}

function isHexWord(text: string, start: number, end: number): boolean {
  return end - start >= HEX_WORD && isHexRun(text, start, end);
}

/** `worker12` keeps its name, which ends at `digitAt`. `A12` and `abc1234` are values. */
function isHash(text: string, start: number, digitAt: number, end: number): boolean {
  return digitAt - start === 1 || (end - start >= HEX_ID && isHexRun(text, start, end));
}
