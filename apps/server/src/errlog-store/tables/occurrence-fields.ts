// The parts of a line. What nginx writes behind its message stays in the text, and is read from there when somebody
// looks; only what is not in the text is stored.
import { type LineFields, nginxFields } from '@quarterdeck/core/lines';

const CONTEXT = ', client: ';
/** What nginx writes in front of its message. */
const HEAD = ['pid', 'tid', 'connection'] as const;

/** The fields of a line that its text does not have; undefined where there are none. */
export function unreadableFields(fields: LineFields, log: string): LineFields | undefined {
  if (!log.includes(CONTEXT)) return fields;
  const head = HEAD.flatMap((name) => {
    const value = fields[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return head.length === 0 ? undefined : Object.fromEntries(head);
}

/** All fields of an occurrence. */
export const allFields = (stored: LineFields | undefined, log: string): Record<string, string> => ({
  ...(log.includes(CONTEXT) ? nginxFields(log, 0, 0) : {}),
  ...stored,
});
