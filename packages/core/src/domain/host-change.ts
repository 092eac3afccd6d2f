// Changes that an agent observes on its host beside its facts.
import * as z from 'zod';
import { HOST_CHANGE_KINDS } from './host-change-kinds.ts';
import { text } from './primitives.ts';

/** Most characters of a masked difference between two versions of a file. */
export const DIFF_MAX = 65_536;

/** A change on a host, as its agent reports it. It is repeated until the server has stored it. */
export const HostChange = z.object({
  seq: z.int().min(1).meta({ description: 'Number of the change on this agent; rises by one' }),
  ago: z
    .number()
    .min(0)
    .max(400 * 86_400)
    .meta({ description: 'Seconds from the change to this report' }),
  since_ago: z
    .number()
    .min(0)
    .max(400 * 86_400)
    .optional()
    .meta({
      description:
        'Seconds from the last look without the change to this report, of a change while the agent was down: it ' +
        'happened between the two times',
    }),
  kind: z.enum(HOST_CHANGE_KINDS),
  field: text(500).meta({ description: 'The changed thing: a path, a program, a package' }),
  from: text(500),
  to: text(500),
  diff: text(DIFF_MAX).optional().meta({ description: 'Changed lines with secrets masked' }),
});
export type HostChange = z.infer<typeof HostChange>;

/** The changed lines of an entry of an agent's history. */
export const HostChangeDiff = z.object({ diff: z.string() });
export type HostChangeDiff = z.infer<typeof HostChangeDiff>;

/** Most changes of one report. */
export const HOST_CHANGES_MAX = 100;
