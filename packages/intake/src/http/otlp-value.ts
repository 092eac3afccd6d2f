// Reads untrusted values of OTLP in their JSON form.

/** An object of unknown content. */
export type Json = Readonly<Record<string, unknown>>;

/** Depth beyond which nested values become `...`. */
const MAX_DEPTH = 16;
/** Maximum characters of a list or map; a plain string is not truncated. */
const MAX_TEXT = 65_536;

/** Returns undefined for anything but an object. */
export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** Returns an empty list for anything but an array. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Converts an AnyValue to text: a string unchanged, bytes in base64, lists and maps as JSON, `''` for none. */
export function valueText(value: unknown): string {
  const plain = plainValue(value, 0);
  if (plain === undefined || plain === null) return '';
  return typeof plain === 'object' ? JSON.stringify(plain).slice(0, MAX_TEXT) : String(plain);
}

function plainValue(value: unknown, depth: number): unknown {
  const any = asObject(value);
  if (any === undefined) return undefined;
  if (depth > MAX_DEPTH) return '...';
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = any;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  // JSON has 64-bit integers as text. An integer that a number cannot hold stays text.
  if (typeof intValue === 'string' || typeof intValue === 'number') {
    const number = Number(intValue);
    return Number.isSafeInteger(number) ? number : String(intValue);
  }
  if (typeof doubleValue === 'number' || typeof doubleValue === 'string') {
    return Number.isFinite(doubleValue) ? doubleValue : String(doubleValue);
  }
  if (typeof bytesValue === 'string') return bytesValue;
  const list = asObject(arrayValue);
  if (list !== undefined) return asList(list['values']).map((item) => plainValue(item, depth + 1) ?? null);
  const map = asObject(kvlistValue);
  if (map === undefined) return undefined;
  const entries = asList(map['values']).flatMap((item) => {
    const pair = asObject(item);
    return typeof pair?.['key'] === 'string' ? [[pair['key'], plainValue(pair['value'], depth + 1) ?? null]] : [];
  });
  return Object.fromEntries(entries);
}

/** Reads attributes as text by name. The first of a name wins; the specification forbids a second one. */
export function attributesOf(value: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (const item of asList(value)) {
    const pair = asObject(item);
    const key = pair?.['key'];
    if (typeof key === 'string' && !found.has(key)) found.set(key, valueText(pair?.['value']));
  }
  return found;
}
