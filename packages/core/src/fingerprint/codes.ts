// Recognisers of numbers that name an error and stay. Each reads a bounded number of characters from `at` and returns
// the index behind what it reads, or -1.
import { BLANK, behindBlanks, DIGIT, digitRun, hexRun, isQuote, isWordCode, kindOf, LETTER } from './characters.ts';

const LF = 0x0a;
const BLANK_CODE = 0x20;
const LEFT_PARENTHESIS = 0x28;
const COMMA = 0x2c;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const EQUALS = 0x3d;
const UNDERSCORE = 0x5f;

/** Words before a number that names the error, with the most digits that such a number has. */
const KEPT_WORDS = new Map([
  ...['signal', 'status', 'HTTP', 'statuscode', 'statusCode', 'StatusCode', 'Status'].map((word) => [word, 3] as const),
  ...['code', 'Code', 'errno', 'errorCode', 'ErrorCode', 'errorcode', 'exitCode', 'ExitCode', 'SQLCODE', 'rc'].map(
    (word) => [word, 5] as const,
  ),
  ...['error', 'Error', 'ERROR', 'HRESULT', 'NTSTATUS'].map((word) => [word, 5] as const),
]);
const KEPT_WORD_MAX = 10;
/** Statuses of HTTP that say that nothing is wrong: whoever answered 200 or 204 made no error. */
const SUCCESS = /(?:20[0-8]|226|30[0-8])(?!\d)/y;

/** Before `status`, it is that of a program. */
const EXIT = 'exit ';

/** Tells whether a status of success begins at `at`. */
function isSuccess(text: string, at: number): boolean {
  SUCCESS.lastIndex = at;
  return SUCCESS.test(text);
}
/** Behind these a number of fewer digits counts something: `error: 3 items failed`. */
const ERROR_WORDS = new Set(['error', 'Error', 'ERROR', 'HRESULT', 'NTSTATUS']);
const ERROR_DIGITS_MIN = 3;

/**
 * Matches a number that names the error behind a word such as `signal`, `code`, `status`, `errno` or `HTTP`, and stays:
 * `exited on signal 11`, `code: -32601`, `errorCode = 4`, `HRESULT: 0x80070005`, `ERROR 1045 (28000)`. `wordAt` to `at`
 * is the word; nothing that continues the number may follow.
 */
export function keptNumberEnd(text: string, wordAt: number, at: number, limit: number): number {
  const from = separatorEnd(text, at, limit);
  if (from < 0 || at - wordAt > KEPT_WORD_MAX) return -1;
  const digitAt = text.charCodeAt(from) === HYPHEN ? from + 1 : from;
  if (kindOf(text.charCodeAt(digitAt)) !== DIGIT) return -1;
  const word = text.slice(wordAt, at);
  const most = KEPT_WORDS.get(word);
  if (most === undefined) return -1;
  const reply = replyEnd(text, digitAt);
  if (reply > 0) return reply;
  const isError = ERROR_WORDS.has(word);
  if (most > 3 && text.charCodeAt(digitAt) === 0x30 && text.charCodeAt(digitAt + 1) === 0x78) {
    const end = hexRun(text, digitAt + 2, 8);
    return end > digitAt + 2 && endsCode(text, end) ? end : -1;
  }
  const mayBeHttp = most === STATUS_DIGITS && word !== 'signal' && !text.startsWith(EXIT, wordAt - EXIT.length);
  if (mayBeHttp && isSuccess(text, digitAt)) return -1;
  const end = digitRun(text, digitAt, most);
  if (!endsCode(text, end)) return -1;
  if (!isError) return end;
  return end - digitAt >= ERROR_DIGITS_MIN && endsErrorNumber(text, end) ? end : -1;
}

/** Returns the index behind blanks, `:` or `=` with blanks on either side; -1 without one of them. */
function separatorEnd(text: string, at: number, limit: number): number {
  const code = text.charCodeAt(at);
  if (code !== COLON && code !== EQUALS && kindOf(code) !== BLANK) return -1;
  // Most words are followed by another one.
  if (kindOf(text.charCodeAt(at + 1)) === LETTER) return -1;
  const from = behindBlanks(text, at, limit);
  const mark = text.charCodeAt(from);
  return mark === COLON || mark === EQUALS ? behindBlanks(text, from + 1, limit) : from;
}

/** Tells whether a code ends at `at`: no word, number or path continues there. */
function endsCode(text: string, at: number): boolean {
  const next = text.charCodeAt(at);
  if (Number.isNaN(next) || kindOf(next) === BLANK || next === 0x29 || next === 0x5d || next === 0x7d) return true;
  if (next === 0x3b || next === 0x3c || isQuote(next)) return true;
  if (next === DOT || next === COLON) return isEnd(text.charCodeAt(at + 1));
  return next === COMMA && kindOf(text.charCodeAt(at + 1)) !== DIGIT;
}

const isEnd = (code: number): boolean => Number.isNaN(code) || kindOf(code) === BLANK;

/** Tells whether nothing follows on the line that a number could count: `error 1045 (28000)`, `error 10061`. */
function endsErrorNumber(text: string, at: number): boolean {
  let next = at;
  while (text.charCodeAt(next) !== LF && kindOf(text.charCodeAt(next)) === BLANK) next += 1;
  const code = text.charCodeAt(next);
  return next === at || code === LEFT_PARENTHESIS || code === LF || Number.isNaN(code);
}

/** `(2: ` of `(2: No such file or directory)`: the number of a system error stays. `at` is the parenthesis. */
export function errnoEnd(text: string, at: number): number {
  const end = digitRun(text, at + 1, 5);
  if (end === at + 1 || text.charCodeAt(end) !== 0x3a || text.charCodeAt(end + 1) !== 0x20) return -1;
  const next = text.charCodeAt(end + 2);
  return kindOf(next) === LETTER || next === 0x3c ? end + 2 : -1;
}

const HTTP = 'HTTP/';
const NUM = '<num>';
const STATUS_DIGITS = 3;

/** The status in `HTTP/1.1 404 Not Found`, or in the normal form of it: returns the index of the blank before it. */
export function httpStatusAt(text: string, at: number): number {
  if (!text.startsWith(HTTP, at)) return -1;
  const from = at + HTTP.length;
  let to = from;
  if (text.startsWith(NUM, from)) to += NUM.length;
  else while (to - from < 3 && (kindOf(text.charCodeAt(to)) === DIGIT || text.charCodeAt(to) === DOT)) to += 1;
  return to > from && statusEnd(text, to) > 0 ? to : -1;
}

/** A blank and a status of HTTP, as it stands behind a request. */
export function statusEnd(text: string, at: number): number {
  const first = text.charCodeAt(at + 1);
  if (text.charCodeAt(at) !== BLANK_CODE || first < 0x31 || first > 0x35) return -1;
  const reply = replyEnd(text, at + 1);
  if (reply > 0) return reply;
  if (isSuccess(text, at + 1)) return -1;
  const end = digitRun(text, at + 1, STATUS_DIGITS + 1);
  const next = text.charCodeAt(end);
  return end - at - 1 === STATUS_DIGITS && (isEnd(next) || isQuote(next)) ? end : -1;
}

/** `550 5.1.1`: the reply of a mail server with its enhanced status. `at` is a digit. */
export function replyEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (text.charCodeAt(at + 4) !== first || text.charCodeAt(at + 3) !== BLANK_CODE) return -1;
  if ((first !== 0x32 && first !== 0x34 && first !== 0x35) || text.charCodeAt(at + 5) !== DOT) return -1;
  const subject = digitRun(text, at + 6, 3);
  const end = digitRun(text, subject + 1, 3);
  const isWhole = subject > at + 6 && text.charCodeAt(subject) === DOT && end > subject + 1;
  return isWhole && digitRun(text, at, STATUS_DIGITS) === at + STATUS_DIGITS && endsCode(text, end) ? end : -1;
}

const NAMED_CODE = /[A-Z]{1,8}(\d{3,5})[A-Z]?/y;
const BEHIND_ERROR = /(?:error|err|warning|fatal|failure|critical|exception):?$/i;

/**
 * Matches the name of an error in capitals and digits up to `end`: `LNK2019: unresolved` at the beginning of a line,
 * `error[E0382]`, `error E1126 in`, `MongoServerError: E11000 duplicate`. `before` is the word before it, or undefined
 * at the beginning of a line. A name such as `WORKER123` elsewhere is no code.
 */
export function namedCodeEnd(text: string, at: number, end: number, before: string | undefined): number {
  NAMED_CODE.lastIndex = at;
  const match = NAMED_CODE.exec(text);
  if (match === null || NAMED_CODE.lastIndex !== end || !endsCode(text, end)) return -1;
  if (before !== undefined) return BEHIND_ERROR.test(before) ? end : -1;
  if (text.charCodeAt(end) === COLON) return end;
  // `E11000 duplicate key`; `E1126 10:00:00` is the date of klog.
  const next = text.charCodeAt(end + 1);
  const isText = text.charCodeAt(end) === BLANK_CODE && (kindOf(next) === LETTER || next === 0x3c);
  return isText && text.charCodeAt(at) === 0x45 && (match[1] ?? '').length > 3 ? end : -1;
}

/** The name of a message of Cisco behind its `%`: `ASA-6-302013`, `SYS-5-CONFIG_I`. `nameEnd` is the first hyphen. */
export function ciscoCodeEnd(text: string, nameEnd: number): number {
  const isSeverity = kindOf(text.charCodeAt(nameEnd + 1)) === DIGIT && text.charCodeAt(nameEnd + 2) === HYPHEN;
  if (text.charCodeAt(nameEnd) !== HYPHEN || !isSeverity) return -1;
  const from = nameEnd + 3;
  let end = from;
  while (end - from < MAX_MNEMONIC && isMnemonic(text.charCodeAt(end))) end += 1;
  return end > from && text.charCodeAt(end) === COLON ? end : -1;
}

const MAX_MNEMONIC = 64;

/** Tells whether a unit is a capital, a digit or an underscore. */
function isMnemonic(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || kindOf(code) === DIGIT || code === UNDERSCORE;
}

/** Programs whose errors have numbers: Oracle with a hyphen, others without. */
const WITH_HYPHEN = new Set([
  'ORA',
  'TNS',
  'PLS',
  'RMAN',
  'CRS',
  'DRG',
  'LPX',
  'KUP',
  'IMP',
  'EXP',
  'DIA',
  'OGG',
  'MY',
]);
const WITHOUT_HYPHEN = new Set(['AH', 'CS', 'TS', 'MSB', 'SRVE', 'DSRA', 'CWWK', 'CWWKZ', 'WFLYCTL', 'WFLYSRV']);
const MAX_PREFIX = 7;

/** `ORA-00942`, `AH00094`: the number names the error and stays. `nameEnd` is the end of its letters. */
export function errorCodeEnd(text: string, at: number, nameEnd: number): number {
  if (nameEnd - at > MAX_PREFIX || nameEnd - at < 2) return -1;
  const name = text.slice(at, nameEnd);
  const hasHyphen = text.charCodeAt(nameEnd) === HYPHEN;
  if (!(hasHyphen ? WITH_HYPHEN : WITHOUT_HYPHEN).has(name)) return -1;
  const from = hasHyphen ? nameEnd + 1 : nameEnd;
  const end = digitRun(text, from, 6);
  if (end - from < 3 || end - from > 6) return -1;
  // Messages of IBM end with a letter for their severity.
  const code = text.charCodeAt(end);
  const behind = code === 0x45 || code === 0x49 || code === 0x57 ? end + 1 : end;
  const next = text.charCodeAt(behind);
  return isWordCode(next) || next === UNDERSCORE || next === HYPHEN ? -1 : behind;
}

const SQLSTATE = 'SQLSTATE';
const STATE_LENGTH = 5;

/** `SQLSTATE 42P01`, `SQLSTATE[42S02]`, `SQLSTATE: 42P01`; `at` is the beginning of the word. */
export function sqlStateEnd(text: string, at: number): number {
  if (!text.startsWith(SQLSTATE, at)) return -1;
  let from = at + SQLSTATE.length;
  const mark = text.charCodeAt(from);
  if (mark !== 0x20 && mark !== 0x3a && mark !== 0x3d && mark !== 0x5b) return -1;
  from += mark === 0x3a && text.charCodeAt(from + 1) === 0x20 ? 2 : 1;
  const end = from + STATE_LENGTH;
  let digits = 0;
  for (let i = from; i < end; i += 1) {
    const code = text.charCodeAt(i);
    if (kindOf(code) === DIGIT) digits += 1;
    else if (!(code >= 0x41 && code <= 0x5a)) return -1;
  }
  return digits > 0 && !isWordCode(text.charCodeAt(end)) ? end : -1;
}

/** Names of types, ciphers, encodings and protocols before their number, which tells two of them apart. */
const NUMBERED_NAMES = new Map<string, readonly string[]>();
for (const [names, numbers] of [
  ['int uint float Int UInt Float INT FLOAT', '8 16 32 64 128'],
  ['sha SHA', '1 224 256 384 512'],
  ['md MD', '4 5'],
  ['utf UTF', '7 8 16 32'],
  ['ipv IPv IPV', '4 6'],
  ['aes AES', '128 192 256'],
  ['crc CRC', '16 32 64'],
  ['base Base', '32 58 64'],
  ['socks SOCKS', '4 5'],
] as const)
  for (const name of names.split(' ')) NUMBERED_NAMES.set(name, numbers.split(' '));
const NUMBERED_MAX = 5;

/** Tells whether a word up to `end` is a type, a cipher or the like: `int64`, `sha256`, `IPv6`. */
export function isNumberedName(text: string, at: number, digitAt: number, end: number): boolean {
  if (digitAt - at < 2 || digitAt - at > NUMBERED_MAX || end - digitAt > STATUS_DIGITS) return false;
  return NUMBERED_NAMES.get(text.slice(at, digitAt))?.includes(text.slice(digitAt, end)) === true;
}

/** `UTF-8`, `SHA-256`, `AES-128`: the same with a hyphen, which is at `hyphen`. */
export function hyphenNameEnd(text: string, at: number, hyphen: number): number {
  if (hyphen - at < 2 || hyphen - at > NUMBERED_MAX || kindOf(text.charCodeAt(hyphen + 1)) !== DIGIT) return -1;
  const end = digitRun(text, hyphen + 1, STATUS_DIGITS + 1);
  const next = text.charCodeAt(end);
  if (isWordCode(next) || next === DOT || next === UNDERSCORE) return -1;
  return NUMBERED_NAMES.get(text.slice(at, hyphen))?.includes(text.slice(hyphen + 1, end)) === true ? end : -1;
}
