// Parts of a text that may name something that was changed: paths, addresses, names, words.

/** Parts of a text. All but paths are in lower case. */
export interface TextWords {
  /** Absolute paths of files, and of addresses. */
  readonly paths: ReadonlySet<string>;
  /** Addresses, host names, ports, and names of files without their folders. */
  readonly names: ReadonlySet<string>;
  /** Words without their endings. */
  readonly words: ReadonlySet<string>;
}

/** Characters of a text that count: the first lines of a stack trace say what failed. */
const TEXT_MAX = 4_000;
/** A called function, such as `open()`. It says what the program did, not with what. */
const CALL = /\b\w+\(\)/g;
const TOKEN = /[^\s"'`()<>{}|,;=]+/g;
const URL_START = /^[a-z][a-z+.-]*:\/\//i;
/** Behind a path: the line and the column in its file, or the end of a sentence. */
const BEHIND_PATH = /(?::\d+){0,2}[.:!?]*$/;
const ADDRESS = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i;
const DOTTED = /^[\w-]+(?:\.[\w-]+)+$/;
const WORD = /[A-Z]?[a-z]+|[A-Z]+/g;
const IPV6 = /\[[\da-f]*:[\da-f:.]*\]/i;
const WORD_MIN = 3;
const STEM_MIN = 4;

/** Words that are in many errors and in many names, so that they name nothing. */
const COMMON: ReadonlySet<string> = new Set(
  (
    'and are bin but can cannot client conf config connect could data default dev directory enable error ' +
    'etc exit fail failure fatal file for found from get has have home host http https info lib local ' +
    'log main mnt mod module name new not null off open opt post process read request return run sbin ' +
    'server service site srv start status stop such system that the this tmp txt unexpected usr var was ' +
    'when while with write'
  ).split(' '),
);

/** Returns a word without the endings of its forms: limits, limited and limiting are one. */
function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ed|es|s)$/, '');
  return stem.length >= STEM_MIN ? stem : word;
}

/** Returns the words of a name, such as `upstream` and `report` of `upstream-reports`. */
export function wordsIn(text: string): string[] {
  const words = (text.match(WORD) ?? []).map((word) => word.toLowerCase());
  return words.filter((word) => word.length >= WORD_MIN && !COMMON.has(word) && !COMMON.has(stemOf(word))).map(stemOf);
}

export function textWords(text: string): TextWords {
  const short = text.slice(0, TEXT_MAX).replace(CALL, ' ');
  const paths = new Set<string>();
  const names = new Set<string>();
  for (const [token] of short.matchAll(TOKEN)) {
    const start = URL_START.exec(token)?.[0];
    const [place, path] = start === undefined ? splitAt(token) : splitAt(token.slice(start.length));
    if (path.length > 1) paths.add(path.replace(BEHIND_PATH, ''));
    addNames(place.replace(/[.:!?]+$/, '').toLowerCase(), names);
  }
  const words = new Set(wordsIn(short));
  if (IPV6.test(short)) words.add('ipv');
  return { paths, names, words };
}

/** Splits a token at its first slash. A path within a word, such as `and/or`, is none. */
function splitAt(token: string): [place: string, path: string] {
  const slash = token.indexOf('/');
  if (slash < 0) return [token, ''];
  const place = token.slice(0, slash);
  return slash === 0 || place.includes(':') || place.includes('.') ? [place, token.slice(slash)] : [token, ''];
}

function addNames(token: string, names: Set<string>): void {
  const [, host, port] = ADDRESS.exec(token) ?? [];
  if (host !== undefined && port !== undefined) {
    names.add(token).add(host).add(port);
  } else if (DOTTED.test(token)) {
    names.add(token);
  }
}
