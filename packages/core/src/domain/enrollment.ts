// Enrollment tokens: they register new agents and permit nothing else.
import * as z from 'zod';
import { AgentLabels } from './agent.ts';
import { Expire } from './expire.ts';
import { nameText, UnixFraction, UnixMs } from './primitives.ts';

const USES_MAX = 1_000_000;

/** `active`, or the reason why it registers no more agents. */
export const EnrollmentState = z.enum(['active', 'expired', 'used_up']);
export type EnrollmentState = z.infer<typeof EnrollmentState>;

/** An enrollment token without its secret. */
export const Enrollment = z.object({
  id: z.int(),
  name: z.string(),
  expire: UnixMs.meta({ description: 'Unix milliseconds, 0 = never' }),
  uses: z.int().meta({ description: 'Maximum number of agents to register; 0 = unlimited' }),
  used: z.int().meta({ description: 'Number of agents registered; the same node counts once' }),
  labels: z.record(z.string(), z.string()).meta({ description: 'Labels of each agent that registers with it' }),
  state: EnrollmentState,
  token_tail: z.string().meta({ description: 'Last four characters of the secret, to recognize it' }),
  created: UnixFraction,
  created_by: z.string(),
  last_used: UnixFraction.nullable(),
});
export type Enrollment = z.infer<typeof Enrollment>;

/** An enrollment token with its secret: the answer to its creation, once. */
export const NewEnrollment = Enrollment.extend({ token: z.string() });
export type NewEnrollment = z.infer<typeof NewEnrollment>;

/** An enrollment token to be created. */
export const EnrollmentDraft = z.object({
  name: nameText(200).default(''),
  expire: Expire.nullish().meta({ description: 'Unix milliseconds; absent or 0 = never' }),
  uses: z.int().min(0).max(USES_MAX).default(0).meta({ description: 'Default 0 = unlimited' }),
  labels: AgentLabels.default({}),
});
export type EnrollmentDraft = z.infer<typeof EnrollmentDraft>;

/** Change of an enrollment token: absent fields stay unchanged. Agents that it has registered keep their labels. */
export const EnrollmentChange = z
  .object({
    name: nameText(200).optional(),
    labels: AgentLabels.optional().meta({ description: 'All labels: others are removed' }),
  })
  .refine(({ name, labels }) => name !== undefined || labels !== undefined, {
    message: 'give at least one of name and labels',
  })
  .meta({ examples: [{ labels: {} }, { name: 'rack 7', labels: { site: 'north' } }] });
export type EnrollmentChange = z.infer<typeof EnrollmentChange>;
