// Masks values that are assigned to names which do not tell of a secret. Only values that nobody uses as a secret stay.
import { MASK } from './secret-patterns.ts';

const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/.source;
const VALUE = `(?:${QUOTED}|[^\\s;"'{}][^\\s;]*)`;
/** Directives of nginx that give a value to a variable, to a parameter or to a header for another server. */
const NAMED =
  /(?<![^\s;{}#])(?:set\s+\$\w+|(?:fastcgi|uwsgi|scgi)_param\s+\w+|(?:proxy|grpc)_set_header\s+[\w-]+|env\s+\w+(?==))/
    .source;
const END = /\s*(?:if_not_empty\s*)?;/.source;
const ASSIGNED = new RegExp(`(${NAMED}(?:\\s+|=))(${VALUE})(?=${END})`, 'g');
/** Such a directive whose value goes on in the next line, or is odd. */
const UNFINISHED = new RegExp(`(${NAMED})(?!(?:\\s+|=)${VALUE}${END}|\\s*;)(?:[\\s=].*)?$`);
const NAME_ONLY = /^\s*(?:set|env|(?:fastcgi|uwsgi|scgi)_param|(?:proxy|grpc)_set_header)\s*$/;

const LUA_BEFORE = /(?:[=~]|\.\.|\bor|\breturn)\s*/.source;
const LUA_ASSIGNED = new RegExp(`(${LUA_BEFORE})(${QUOTED}|\\[\\[.*?\\]\\])`, 'g');
const LUA_UNFINISHED = new RegExp(`^(.*?${LUA_BEFORE})\\[=*\\[(?!.*\\]=*\\])`);

const VARIABLE = /\$(?:\w+|\{\w+\})/g;
/** Values of which there are too few to be a secret. `$` stands for a variable. */
const HARMLESS = [
  /^[$\s:/.,|_?=&@-]*$/,
  /^-?\d{1,5}(?:\.\d{1,5})?(?:ms|[smhdwykg])?$/i,
  /^(?:on|off|yes|no|true|false|none|null|nil|default|close|keep-alive|upgrade|websocket|https?|wss?|blue|green)$/i,
  /^(?:get|head|post|put|patch|delete|options|string|table|number|boolean|function|utf-?8|gzip|localhost)$/i,
  /^(?:application|audio|font|image|text|video)\/[a-z][a-z.+-]{0,40}(?:;\s*charset=utf-?8)?$/i,
  /^(?:nginx|openresty|cgi|http)\/[\d.$]{1,10}$/i,
  // Paths, also with the query of the request.
  /^\$?(?:\/[\w.$~-]*)+(?:\?[$=&]*)?$/,
  // Addresses of servers, with a scheme, a port or two dots, as a password rarely has them.
  /^(?:https?|wss?|grpcs?|tcp|fastcgi|uwsgi):\/\/[\w.$-]+(?::[\d$]{1,5})?(?:\/[\w.$~-]*)*(?:\?[$=&]*)?$/i,
  /^unix:(?:\/[\w.$-]*)+:?$/,
  /^[a-z][\da-z-]*(?:\.[a-z][\da-z-]*)*:\d{2,5}$/,
  /^[a-z\d$][\da-z$-]*(?:\.[a-z\d$][\da-z$-]*){2,9}(?::[\d$]{1,5})?$/,
];

/** Reports whether a value, with its quotation marks, is not a secret. */
function isHarmless(value: string): boolean {
  const text = value.replace(/^\[\[|\]\]$|^["']|["']$/g, '').replace(VARIABLE, '$');
  return HARMLESS.some((form) => form.test(text));
}

const maskValue = (all: string, before: string, value: string): string =>
  isHarmless(value) ? all : `${before}${MASK}`;

/** Masks the values that are assigned in a line. */
export function maskAssigned(line: string, isLua: boolean): string {
  const masked = line.replace(ASSIGNED, maskValue);
  return isLua ? masked.replace(LUA_ASSIGNED, maskValue) : masked;
}

/** A value that goes on in the next lines. */
export interface UnfinishedValue {
  /** The line before the value. */
  readonly before: string;
  /** Reports whether a line is the last one of the value; undefined in a comment, which ends with its line. */
  readonly closes: ((line: string) => boolean) | undefined;
}

/** Finds a value that is assigned and does not end in its line. */
export function unfinishedValue(line: string, isLua: boolean): UnfinishedValue | undefined {
  const closes = /^\s*#/.test(line) ? undefined : (next: string) => next.includes(';');
  if (NAME_ONLY.test(line)) return { before: line.trimEnd(), closes };
  const found = UNFINISHED.exec(line);
  if (found !== null) return { before: line.slice(0, found.index + (found[1]?.length ?? 0)), closes };
  const [, before] = (isLua && LUA_UNFINISHED.exec(line)) || [];
  return before === undefined ? undefined : { before, closes: (next) => /\]=*\]/.test(next) };
}
