// Values of rows: by the path of a column, as text for people, and as text for programs.
import { levelName } from '@quarterdeck/core/plain';
import { clean, fullTime } from '@quarterdeck/views/text';

/** A row of an answer. */
export type Row = object;

/** Fields in Unix seconds, and in Unix milliseconds; their names tell it everywhere in the contract. */
const SECONDS =
  /^(?:at|time|start|end|until|started|ended|created|modified|first|last|from|to|minute|last_used|last_reported|first_seen|boot_time|deadline|state_since|since|resolved|last_fired|muted_until|next_look|failing_since|gone_since|next_attempt|last_attempt|_created_unix|_modified_unix|silent_since)$|_time(?:_in_range)?$/;
const MILLISECONDS = /^(?:expire|grace_until|idle_until)$/;

/** Returns the value at a path such as `labels.site`. A member whose own name has dots wins. */
export function valueAt(row: unknown, path: string): unknown {
  if (typeof row !== 'object' || row === null) return undefined;
  const record = row as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(record, path)) return record[path];
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const head = path.slice(0, dot);
    if (Object.hasOwn(record, head)) return valueAt(record[head], path.slice(dot + 1));
  }
  return undefined;
}

/** Text of a value in a table: one line without control characters. */
export function cellText(path: string, value: unknown): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'number') return numberText(name, value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return clean(shortText(value)) || '-';
}

function numberText(name: string, value: number): string {
  if (name === 'level') return levelName(value).toLowerCase();
  if (MILLISECONDS.test(name)) return value === 0 ? 'never' : fullTime(value);
  if (SECONDS.test(name)) return value === 0 ? '-' : fullTime(value * 1000);
  return String(value);
}

function shortText(value: unknown): string {
  if (Array.isArray(value)) return value.map(shortText).join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name}=${shortText(member)}`)
    .join(' ');
}

/** Value of a cell of CSV: as the API has it. */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // A spreadsheet runs text with these beginnings as a formula; an apostrophe prevents it.
  const safe = typeof value !== 'number' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
