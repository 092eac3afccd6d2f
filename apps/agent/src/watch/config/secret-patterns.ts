// The list of secrets in configuration. A pattern may mask too much, and must not mask too little.

export const MASK = '[masked]';

/** Names whose values are secret: everything behind them is masked, to the end of the statement. */
const NAMES = [
  /pass(?:w|wd|wor[dt]|phrase|code)\w*/,
  /[\w$-]{0,99}pass(?![a-z])\w*/,
  /pwd|bind_?pw|(?<![a-z])pw(?![a-z])/,
  /secret\w*|credential\w*|\bpsk\b|\bsalt\b|nonce|passkey|keytab|community/,
  /token\w*|\bjwt\w*|\bjwk\w*|bearer/,
  /auth(?!or(?!iz)|ority)[\w-]*/,
  /cookie\w*|sess\w*id|\bsid\b|csrf\w*|xsrf\w*/,
  /signature|\bsig\b|hmac\w*|dsn\b|connection_?string|webhook\w*/,
  /[\w$.-]{0,99}key(?:s|_?id|_?data)?(?![a-z_])/,
  /\b(?:otp|totp|pin|cvv|license)\b/,
];
/** Finds the first secret name of a line. */
export const SECRET_NAME = new RegExp(NAMES.map(({ source }) => `(?:${source})`).join('|'), 'i');

/** Directives that match the list and have no secret value, unless a value is assigned to such a name. */
export const HARMLESS_NAME =
  /^(?:server_tokens|\w+_cache_key|hash_key|\w+_cookie_(?:path|domain|flags)|\w*bypass|(?:proxy|fastcgi|uwsgi|scgi|grpc|memcached|memc|redis2?|drizzle)_pass(?:_\w+)?)$/;
export const HARMLESS_VALUE = /^\s+[^\s=:]/;

/** Names whose value is harmless where it is the path of a file or a location, and nothing else. */
export const PATH_NAME = /(?:certificate_key|auth_basic_user_file|auth_request|password_file|ticket_key|key_file)$/i;
export const PATH_VALUE = /^\s+(?:\/[a-z][\w.-]*)+;?\s*$/i;

/** Secrets by their form, wherever they are. The order counts: an address is not a user and a password. */
export const SECRET_FORMS = [
  // Users and passwords of addresses, and of data sources such as `user:password@tcp(host)`.
  /(?<=:\/\/)[^\s"'<>]{0,500}@/gi,
  /[^\s"'<>@/:]{1,200}:[^\s"'<>@]{1,200}@/gi,
  // Credentials of HTTP, also in base64.
  /\b(?:basic|bearer|digest|negotiate|apikey|aws4-hmac-sha256)\s+[^\s"';]{4,}[^"';]*/gi,
  // JSON web tokens, and keys of providers.
  /\beyJ[\w-]{5,}(?:\.[\w-]*){0,4}/gi,
  /\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|AIPA)[A-Z0-9]{8,}/gi,
  /\b(?:gh[pousr]_|github_pat_|glpat-|gldt-|xox[a-z]-|xapp-|npm_|pypi-|dop_v1_|hv[sb]\.|qd_[a-z]_|whsec_|SG\.|ya29\.|AIza)[\w.-]{6,}/gi,
  /\b(?:sk|pk|rk)[-_][\w-]{8,}/gi,
  /\b\d{6,12}:[\w-]{20,}/gi,
  /hooks\.slack\.com\/\S+|discord(?:app)?\.com\/api\/webhooks\/\S+|webhook\.office\.com\/\S+/gi,
  // Hashes of passwords, and lines of password files.
  /\$(?:1|2[abxy]?|5|6|7|y|md5|apr1|argon2\w*|pbkdf2[\w-]*|scrypt)\$[^\s"';]+/gi,
  /\{(?:S?SHA\d*|S?MD5|CRYPT|PLAIN|PBKDF2[\w-]*)\}[^\s"';]+/gi,
  /(?<=^\s*[\w.@-]+:)(?!\d+$)[^\s:/]{4,}$/gi,
  // A user and a password in quotes; a number behind the colon is a port.
  /(?<=["'])[\w.-]+:(?!\d+["'])[^\s"'/]+(?=["'])/gi,
  // Users and passwords of command lines.
  /(?<=\s(?:-u|-p|--user[\s=])\s?)[^\s"';]{3,}/gi,
  // Data and keys within a value.
  /\bdata:[^\s"';]+/gi,
  // Keys in hexadecimal, with or without dashes.
  /\b(?=[a-f-]*\d)[0-9a-f](?:[0-9a-f-]{18,})[0-9a-f]\b/gi,
];

/** Runs of characters that may be random. */
export const RUN = /[A-Za-z0-9+/=_-]{16,}/g;

const times = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function mixesClasses(text: string): boolean {
  const hasAllClasses = /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
  const hasMixedDigits = times(text, /[a-z](?=\d)|\d(?=[a-z])/gi) >= 4;
  const hasMixedCase = times(text, /[a-z](?=[A-Z])|[A-Z](?=[a-z])/g) > text.length / 3;
  return hasAllClasses || hasMixedDigits || hasMixedCase;
}

/** Reports whether a run of characters mixes classes as random text does, and words do not. */
export function looksRandom(run: string): boolean {
  const isPath = run.startsWith('/') && !/[+=]/.test(run);
  return isPath ? run.split('/').some((part) => part.length >= 16 && mixesClasses(part)) : mixesClasses(run);
}

/** A string literal of Lua that has letters and digits or signs, as a password has and a name does not. */
export const LUA_STRING = /(["'])(?=[^"']*[A-Za-z])(?=[^"']*[\d!@#$%^&*?~+])[^"'\s]{5,}\1/g;

/** Directives whose values end with a semicolon, also lines later. */
export const SETTER = /^\s*(?:\w+_(?:set_header|param)|more_set_\w+|add_header|set|env|return|js_set|perl_set)\s/;
