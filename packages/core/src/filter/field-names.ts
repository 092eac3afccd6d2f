// Names that mean a property of the line itself. All other names are fields that its sender gave it.

/** Kind of values that a known name takes. */
export type ValueKind = 'level' | 'number' | 'state' | 'text' | 'time';

const KINDS = {
  level: 'level',
  host: 'text',
  service: 'text',
  source: 'text',
  src: 'number',
  app: 'number',
  state: 'state',
  req: 'text',
  group: 'number',
  since: 'time',
  until: 'time',
} as const satisfies Record<string, ValueKind>;

/** Known name in its canonical spelling. */
export type KnownName = keyof typeof KINDS;

/** Names of the API for the same properties. */
const ALIASES = new Map<string, KnownName>([
  ['app_id', 'app'],
  ['req_id', 'req'],
]);

/** Prefix of a field of the line whose own name is a known one: `fields.host`. */
const OWN = 'fields.';

/** Known names, for completion. */
export const FILTER_NAMES = Object.keys(KINDS) as readonly KnownName[];

const isKnown = (name: string): name is KnownName => Object.hasOwn(KINDS, name);

/** Kind of a canonical name; undefined for a field of the line. */
export const kindOfName = (name: string): ValueKind | undefined => (isKnown(name) ? KINDS[name] : undefined);

/** Known name that a text means, in any case or by an alias. */
function knownName(text: string): KnownName | undefined {
  const name = text.toLowerCase();
  return isKnown(name) ? name : ALIASES.get(name);
}

/** Reports whether a field of the line needs the prefix: its own name means something else. */
const needsPrefix = (name: string) => knownName(name) !== undefined || name.startsWith(OWN);

/** Converts a written name to the canonical one: `Level` to `level`, `fields.client` to `client`. */
export function canonicalFieldName(text: string): string {
  const known = knownName(text);
  if (known !== undefined) return known;
  const own = text.startsWith(OWN) ? text.slice(OWN.length) : text;
  return needsPrefix(own) ? OWN + own : own;
}

/**
 * Name of the field of the line that a canonical name means; undefined for a known name. `fields.host` means the field
 * `host`, and `client` the field `client`.
 */
export function fieldOfLine(name: string): string | undefined {
  if (isKnown(name)) return undefined;
  return name.startsWith(OWN) ? name.slice(OWN.length) : name;
}

/** Canonical name for a field of the line. */
export const nameOfField = (field: string): string => (needsPrefix(field) ? OWN + field : field);
