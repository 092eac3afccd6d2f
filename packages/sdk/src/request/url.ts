// Builds an address from a base url, a path with {placeholders} and a query. No value can leave the base.

/** A value of a path or a query. */
type Scalar = string | number | boolean;

/**
 * Parses a base url; keeps a path prefix, drops a trailing slash.
 *
 * @throws TypeError that names the option and never repeats a user, password or query of the url
 */
export function parseBaseUrl(value: string, option: string): string {
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    refuseWithoutScheme(value, option);
    throw new TypeError(`${option} is not a url: ${quote(value)}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    refuseWithoutScheme(value, option);
    throw new TypeError(`${option} must begin with http:// or https://: ${quote(value)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${option} must not carry a user or password; credentials travel in headers`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`${option} must end with its path, without query and fragment: ${quote(value)}`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Refuses an address such as `127.0.0.1:7080` or `localhost:7080`; the latter parses with the scheme `localhost:`. */
function refuseWithoutScheme(value: string, option: string): void {
  const text = String(value);
  if (text.includes('://') || !/^[\w.-]+\.?(:\d+)?(\/|$)|^\[[0-9a-f:]+\]/i.test(text)) return;
  if (URL.canParse(`http://${text}`)) throw new TypeError(`${option} lacks http:// or https:// before ${quote(text)}`);
}

/** Quotes an invalid url without the parts that may be secret. */
function quote(value: unknown): string {
  const text = String(value).replace(/[?#].*$/s, '');
  return text.includes('@') ? '(not shown)' : JSON.stringify(text.slice(0, 200));
}

/**
 * Fills the placeholders of a path, percent-encoded.
 *
 * @throws TypeError for a value that is missing, empty, `.` or `..`, which would change the address
 */
export function fillPath(path: string, params: unknown): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = scalarText(values[name], `params.${name}`);
    if (value === undefined) throw new TypeError(`params.${name} is required`);
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`params.${name} cannot be ${JSON.stringify(value)}`);
    }
    return encodeURIComponent(value);
  });
}

/**
 * Encodes a query with its `?`, or ''. Undefined and null are omitted, booleans are 1 and 0, whole numbers have no
 * exponent.
 *
 * @throws TypeError for anything but text, numbers and booleans
 */
export function queryText(query: unknown): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Readonly<Record<string, unknown>>)) {
    const text = scalarText(value, `query.${name}`);
    if (text !== undefined) pairs.append(name, text);
  }
  return pairs.size === 0 ? '' : `?${pairs.toString()}`;
}

function scalarText(value: unknown, where: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isScalar(value)) throw new TypeError(`${where} must be text, a number or a boolean`);
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'string') {
    // URLSearchParams would silently send another text; encodeURIComponent would throw without the place.
    if (!value.isWellFormed()) throw new TypeError(`${where} must be well-formed Unicode`);
    return value;
  }
  if (!Number.isFinite(value)) throw new TypeError(`${where} must be a finite number`);
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
