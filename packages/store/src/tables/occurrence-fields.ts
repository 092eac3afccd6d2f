// The fields of a line. Those that nginx writes behind its message stay in the text and are read from there. Only
// fields that are not in the text are stored.
import { type LineFields, type LogLine, nginxFields } from '@quarterdeck/core/lines';

const CONTEXT = ', client: ';
/** Fields that nginx writes in front of its message. */
const HEAD: ReadonlySet<string> = new Set(['pid', 'tid', 'connection']);

/** Returns the fields of a line that its text does not have. */
export function unreadableFields({ fields, log, hasTextFields }: LogLine): LineFields | undefined {
  // Reading the text again takes longer than all other steps of a line.
  if (fields === undefined || !mayBeInText(fields, log) || !log.includes(CONTEXT)) return fields;
  const read = hasTextFields ? fields : nginxFields(log, 0, 0);
  const kept = Object.entries(fields).filter(([name, value]) => HEAD.has(name) || read?.[name] !== value);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Reports whether a text has the value of a field that may be read from it. */
function mayBeInText(fields: LineFields, log: string): boolean {
  for (const name in fields) if (!HEAD.has(name) && log.includes(fields[name] ?? '')) return true;
  return false;
}

/** Returns all fields of an occurrence. */
export const allFields = (stored: LineFields | undefined, log: string): Record<string, string> => ({
  ...(log.includes(CONTEXT) ? nginxFields(log, 0, 0) : {}),
  ...stored,
});
