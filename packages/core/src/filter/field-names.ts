// Names that mean a property of the line itself. All other names are fields that its sender gave it.

/** Kind of values that a name takes. `time` bounds the list by time; `moment` is a time to compare with. */
export type ValueKind = 'agent_state' | 'flag' | 'level' | 'moment' | 'number' | 'state' | 'text' | 'time';

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

/** Names that a filter may ask for: those of lines, or the columns of another list. */
export interface FieldNames {
  /** Converts a written name to the canonical one; undefined where there is no such field. */
  readonly canonical: (written: string) => string | undefined;
  /** Kind of a canonical name; undefined where any value is allowed. */
  readonly kindOf: (name: string) => ValueKind | undefined;
  /** Writes a canonical name. */
  readonly written: (name: string) => string;
  /** Names for completion and refusals. A line may have more fields. */
  readonly listed: readonly string[];
  /** Unix seconds from which ages of compared times count back. */
  readonly nowS: number;
}

/** Fields that a filter of lines and of error groups knows. */
export const LINE_FIELDS: FieldNames = {
  canonical: canonicalFieldName,
  kindOf: kindOfName,
  written: (name) => name,
  listed: FILTER_NAMES,
  nowS: 0,
};

/** A column that filters may ask for. */
export interface FilterColumn {
  readonly id: string;
  /** Set where the values are times in Unix seconds. */
  readonly isTime: boolean;
}

/**
 * Names of the columns of a list, in any case. `since` and `until` exist where a column has times. The other canonical
 * names mean fields of the line that stands for a row.
 */
export function columnFields(columns: readonly FilterColumn[], nowS: number): FieldNames {
  const byName = new Map<string, string>();
  const kinds = new Map<string, ValueKind>();
  for (const { id, isTime } of columns) {
    const name = nameOfField(id);
    byName.set(id.toLowerCase(), name);
    if (isTime) kinds.set(name, 'moment');
  }
  if (columns.some(({ isTime }) => isTime)) {
    for (const name of ['since', 'until']) {
      byName.set(name, name);
      kinds.set(name, 'time');
    }
  }
  return {
    canonical: (written) => byName.get(written.toLowerCase()),
    kindOf: (name) => kinds.get(name),
    written: (name) => fieldOfLine(name) ?? name,
    listed: [...byName.values()].map((name) => fieldOfLine(name) ?? name),
    nowS,
  };
}

/** Canonical name for a field of the line. */
export const nameOfField = (field: string): string => (needsPrefix(field) ? OWN + field : field);
