// Forms of words that are no secrets, where a directive takes no secret. Names and paths are made of parts that people
// read: a part with mixed digits and letters, or without vowels, is none.
import { isIP } from 'node:net';

const WORD_MAX = 250;

const VARIABLE = /\$(?:(\w+)|\{(\w+)\})/g;
/** Stands for a variable in the forms below. */
const SOME_VARIABLE = '\ufffc';

const SIZE = /^-?\d{1,10}[kmg%]?$/i;
const DURATION = /^(?:\d{1,7}(?:ms|[smhdwMy]))+$/;
const RATE = /^\d{1,7}r\/[sm]$/;
/** The last value of `try_files`. */
const TRIED_STATUS = /^=[1-5]\d\d$/;
const STATUS = /^[1-5]\d\d$/;

/** Words for any place: too few and too common to be secrets. */
const COMMON =
  /^(?:on|off|yes|no|true|false|always|default|last|break|permanent|redirect|if_not_empty|close|upgrade|keep-alive|https?|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|\d{1,2}|\d{1,4}(?:ms|[smhdkg])|nosniff|!?-[fde]|!?[=~]\*?)$/;
const SEPARATORS = /^[\ufffc\s:/.,|_?=&@()[\]"'<>!-]*$/;
/** Addresses are made of variables and such pieces. */
const SCHEME = /^https?:\/\/(?=\ufffc)/;

/** Parameters of servers, zones, caches, logs and addresses. */
const PARAMETER =
  /^(weight|max_fails|fail_timeout|max_conns|slow_start|route|zone|keys_zone|levels|max_size|min_free|inactive|use_temp_path|(?:loader|manager)_(?:files|sleep|threshold)|rate|burst|delay|buffer|flush|gzip|if|valid|ipv[46]|status_zone|backlog|rcvbuf|sndbuf|fastopen|ipv6only|timeout|threads|max_queue|max|min)=(.+)$/;

/** Directives with paths of files and nothing else: their values may also be keys, behind a prefix and a colon. */
const OF_FILES = /(?:certificate|key|file|dhparam|crl)$/;

/** Reports whether a text is a status of HTTP. */
export const isStatus = (text: string): boolean => STATUS.test(text);

/** Reports whether a word is harmless wherever it is. */
export function isFreeWord(text: string): boolean {
  const form = withoutVariables(text);
  return COMMON.test(text.replace(/^\(|\)$/g, '')) || (form !== undefined && SEPARATORS.test(form.replace(SCHEME, '')));
}

/** Reports whether a word is a name without digits: of a variable, a header or a parameter. */
export const isName = (text: string): boolean =>
  /^\$?[A-Za-z_-]+$/.test(text) &&
  text.length <= 60 &&
  piecesOf(text).every((piece) => isReadable(piece) || isCapitals(piece));

/**
 * Reports whether a word is harmless behind a directive that takes no secret: a number, a size, a time, a word, an
 * address, a path, a name, or one with such a value behind an equal sign.
 */
export function isHarmless(text: string, directive: string): boolean {
  if (text.length > WORD_MAX) return false;
  const value = PARAMETER.exec(text)?.[2];
  if (value !== undefined) return isHarmless(value, directive);
  if (
    SIZE.test(text) ||
    DURATION.test(text) ||
    RATE.test(text) ||
    TRIED_STATUS.test(text) ||
    isAddress(text) ||
    COMMON.test(text)
  )
    return true;
  const form = withoutVariables(text);
  if (form === undefined) return false;
  const [, scheme = '', host = '', path = ''] = /^([a-z]{2,8}:\/\/)([^/]*)(.*)$/.exec(form) ?? [];
  if (scheme !== '') return (isAddress(host) || isPlain(host, false)) && isPlain(path, false);
  if (form.includes('@')) return directive !== 'listen' && /^@[a-z_-]+$/.test(form) && isPlain(form.slice(1), false);
  if (OF_FILES.test(directive) && form.includes(':')) return false;
  return isPlain(form.replace(/\?\ufffc$/, ''), /ssl_(?:ciphers|protocols)$/.test(directive));
}

/** Reports whether a text is an IP address, with or without a port or the bits of a network. */
export function isAddress(text: string): boolean {
  const [, bracketed, plain, bits = '0', port = '0'] =
    /^(?:\[([\da-f:.]+)\]|([\da-f:.]+?))(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const address = bracketed ?? plain ?? '';
  return isIP(address) !== 0 && Number(bits) <= 128 && Number(port) <= 65_535;
}

/** Replaces the variables of a text; undefined where the name of one is not readable. */
function withoutVariables(text: string): string | undefined {
  let isNamed = true;
  const form = text.replace(VARIABLE, (_, bare: string | undefined, braced: string | undefined) => {
    const name = bare ?? braced ?? '';
    isNamed &&= /^\d$/.test(name) || (name.length <= 60 && piecesOf(name).every((piece) => isReadable(piece)));
    return SOME_VARIABLE;
  });
  return isNamed && !form.includes('$\ufffc') ? form : undefined;
}

/** Characters of names, paths, media types, lists of ciphers, and expressions for locations. */
const PLAIN = /^[\w\ufffc./:*~^$|()\\[\]+,<>-]*$/;
/** Colons of groups, sockets, ports, sizes and paths. Others may be between a user and a password. */
const COLONS = /^unix:|^shared:|:\d{1,7}[kmg]?(?=$|[/:])|:(?=\/)/g;
const GROUPS = /\(\?(?::|<(?=[a-z_]+>))/g;

/** Reports whether all parts of a name or path are readable. */
function isPlain(text: string, withCapitals: boolean): boolean {
  const form = text.replaceAll(GROUPS, '(');
  const isListOfCiphers = withCapitals && !form.includes('/');
  if (!PLAIN.test(form) || (!isListOfCiphers && form.replaceAll(COLONS, '/').includes(':'))) return false;
  return form.split(/[/:|,=()\ufffc]/).every((segment) => {
    const pieces = piecesOf(segment);
    if (/^[\da-f]{10,}$/i.test(pieces.join(''))) return false;
    if (!withCapitals && pieces.filter((piece) => CODE_LIKE.test(piece)).length > 2) return false;
    return pieces.every((piece) => isReadable(piece) || (withCapitals && isCapitals(piece)));
  });
}

/** Pieces of which names have few, and codes many. */
const CODE_LIKE = /\d[A-Za-z]|[A-Za-z]\d|^[A-Z]{2,}$/;

const piecesOf = (text: string): string[] => text.split(/[^A-Za-z\d]+/).filter((piece) => piece !== '');

const isCapitals = (piece: string): boolean => /^[A-Z]{1,8}v?\d{0,4}$/.test(piece);

/** Reports whether a run of letters and digits reads as a word, a word with a number, or a number with a unit. */
function isReadable(piece: string): boolean {
  if (/^\d{1,5}[a-z]{0,2}$/.test(piece)) return true;
  const [, letters] = /^([A-Z]?[a-z]{0,14}|[A-Z]{1,3})\d{0,4}$/.exec(piece) ?? [];
  return letters !== undefined && isPronounceable(letters.toLowerCase()) && !/^(?=\D*\d)[\da-f]{6,}$/i.test(piece);
}

/** Abbreviations without vowels. */
const SHORT_FORMS =
  /^(?:https?|html|xhtml|grpc|mjpg|dpkg|pgsql|plst|tmpl|xslt|sshd|vhosts?|pnpm|psql|(?:postgre|my)sql|sqlite|nodejs)$/;

function isPronounceable(letters: string): boolean {
  if (letters.length <= 3 || SHORT_FORMS.test(letters)) return true;
  const vowels = letters.match(/[aeiouy]/g)?.length ?? 0;
  return (
    vowels * 7 >= letters.length &&
    !/[^aeiouy]{5}|[jvwxz]{2}|q(?!u)|[jqvz][^aeiouy]$|[^aeioun]x[^aeiouyt]/.test(letters)
  );
}
