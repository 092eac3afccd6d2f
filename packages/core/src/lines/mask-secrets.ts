// Masks what may be a secret in texts of log lines, for readers without an account. Bounded repetitions keep the time
// linear in the text, whatever it holds.

const MASK = '***';

const WORDS = [
  'pass(?:word|wd|phrase)?',
  'pwd',
  'secret',
  '[a-z_-]{0,20}token',
  '[a-z_-]{0,20}api[_-]?key',
  'access[_-]?key',
  'private[_-]?key',
  '(?:proxy-)?authorization',
  '(?:set-)?cookie',
  'session(?:[_-]?id)?',
  'credentials?',
  'signature',
  'otp',
].join('|');

/** Name of a secret, and what stands between it and its value. */
const NAMED = new RegExp(
  `\\b(${WORDS})(["']?\\s{0,4}[=:]\\s{0,4})("[^"]{0,4096}"|'[^']{0,4096}'|(?:(?:bearer|basic|token)\\s{1,4})?[^\\s,;&"']{1,4096})`,
  'gi',
);
const NAME = new RegExp(`^(?:${WORDS})$`, 'i');
/** User and password of an address. */
const USER_INFO = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]{1,256}@/gi;
/** Values of a query. */
const QUERY = /([?&][^\s=&"'#]{1,128}=)[^\s&"'#]{1,4096}/g;
/** Texts whose form or length is that of a secret: JSON web tokens, ours, digests. */
const FORMS = /\beyJ[\w-]{4,4096}\.[\w.-]{1,4096}|\bqd_[a-z]_\w{1,64}|\b[a-f0-9]{32,512}\b/gi;
/** Long keys: digits, capitals and small letters without a word that anybody would write. */
const KEYS = /\b(?=[\w+-]{0,512}\d)(?=[\w+-]{0,512}[A-Z])(?=[\w+-]{0,512}[a-z])[\w+-]{40,4096}={0,2}/g;
const EMAIL = /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}/g;

/** Returns a text with `***` in place of what may be a secret or the address of a person. */
export const maskSecrets = (text: string): string =>
  text
    .replace(USER_INFO, `$1${MASK}@`)
    .replace(NAMED, `$1$2${MASK}`)
    .replace(QUERY, `$1${MASK}`)
    .replace(FORMS, MASK)
    .replace(KEYS, MASK)
    .replace(EMAIL, MASK);

/** Reports whether a field with this name holds a secret. */
export const isSecretName = (name: string): boolean => NAME.test(name);

/** Returns data with every text masked; the value of a field with the name of a secret is masked whole. */
export function maskTexts(data: unknown): unknown {
  if (typeof data === 'string') return maskSecrets(data);
  if (Array.isArray(data)) return data.map(maskTexts);
  if (data === null || typeof data !== 'object') return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'string' && isSecretName(name) ? MASK : maskTexts(value),
    ]),
  );
}
