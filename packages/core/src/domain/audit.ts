// Audit log: wire contract section 10.
import * as z from 'zod';
import { queryInt, UnixFraction } from './primitives.ts';

/** An entry of the audit log. `detail` never holds a secret. */
export const AuditEntry = z.object({
  id: z.int(),
  time: UnixFraction,
  action: z.string().meta({ description: 'noun.verb, such as user.login or api_token.create' }),
  actor: z.object({
    kind: z
      .string()
      .meta({ description: 'user, agent, enrollment, system, local (a command on the host of the server) or nobody' }),
    id: z.int(),
    name: z.string(),
    credential: z.string().meta({ description: 'session:12, api_token:7, or empty' }),
    address: z.string(),
  }),
  target: z.object({ kind: z.string(), id: z.int() }),
  request_id: z.string(),
  detail: z.record(z.string(), z.unknown()),
  previous: z.string().meta({ description: 'Hash of the previous entry' }),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Filters of the audit list. */
export const auditFilters = {
  action: z.string().max(100).optional().meta({ description: 'An action, or the noun of several actions' }),
  actor_id: queryInt(0).optional(),
  start_time: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'From, Unix seconds' }),
  end_time: queryInt(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'Up to, Unix seconds' }),
};

/** Result of a check of the audit log, whose entries are a chain of hashes. */
export const AuditVerdict = z.object({
  intact: z.boolean(),
  checked: z.int(),
  broken_at: z.int().nullable().meta({ description: 'Id of the first entry that breaks the chain' }),
});
export type AuditVerdict = z.infer<typeof AuditVerdict>;
