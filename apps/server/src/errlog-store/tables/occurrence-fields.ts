// The fields of a line. Those that nginx writes behind its message stay in the text and are read from there. Only
// fields that are not in the text are stored.
import { type LineFields, nginxFields } from '@quarterdeck/core/lines';

const CONTEXT = ', client: ';
/** Fields that nginx writes in front of its message. */
const HEAD = ['pid', 'tid', 'connection'] as const;

/** Returns the fields of a line that its text does not have. */
export function unreadableFields(fields: LineFields, log: string): LineFields | undefined {
  if (!log.includes(CONTEXT)) return fields;
  const head = HEAD.flatMap((name) => {
    const value = fields[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return head.length === 0 ? undefined : Object.fromEntries(head);
}

/** Returns all fields of an occurrence. */
export const allFields = (stored: LineFields | undefined, log: string): Record<string, string> => ({
  ...(log.includes(CONTEXT) ? nginxFields(log, 0, 0) : {}),
  ...stored,
});
