// The explanation of a rule: why it did or did not fire at a moment (wire contract section 12).
import * as z from 'zod';
import { Alert } from './alert-instance.ts';
import { UnixFraction, UnixSeconds } from './primitives.ts';

/**
 * Conditions of a rule, in their order. Those from `count` to `attempts` are the numbers of its kind; `causes` is the
 * condition of the kind as a whole.
 */
export const ALERT_CHECKS = [
  'enabled',
  'author',
  'matching',
  'count',
  'usual',
  'silence',
  'habit',
  'report',
  'silent_agents',
  'days',
  'used',
  'attempts',
  'causes',
  'for',
  'cooldown',
  'mute',
  'maintenance',
  'outage',
  'acknowledged',
  'repeat',
] as const;
export type AlertCheck = (typeof ALERT_CHECKS)[number];

/** One condition of a rule at a moment. */
export const AlertConditionState = z.object({
  name: z.enum(ALERT_CHECKS),
  value: z.number().nullable().meta({ description: 'The number that is compared; null = none, or not known' }),
  limit: z.number().nullable().meta({ description: 'The number that it is compared with; null = none' }),
  met: z.boolean().nullable().meta({ description: 'false: it kept the rule from a message; null = not known' }),
  text: z.string().meta({ description: 'The same in a sentence' }),
});
export type AlertConditionState = z.infer<typeof AlertConditionState>;

/** The moment that is asked about. */
export const AlertMoment = z
  .object({ at: UnixSeconds.optional().meta({ description: 'Default now; not in the future' }) })
  .meta({ examples: [{}, { at: 1_767_225_600 }] });
export type AlertMoment = z.infer<typeof AlertMoment>;

/** Why a rule did or did not fire at a moment. */
export const AlertExplanation = z.object({
  at: UnixFraction,
  fired: z.boolean().meta({ description: 'An alert of it had a message and was open, or had one just before' }),
  verdict: z.string().meta({ description: 'The reason in a sentence' }),
  conditions: z.array(AlertConditionState),
  alerts: z.array(Alert).meta({ description: 'Alerts of it then, newest first; up to 20' }),
  complete: z.boolean().meta({ description: 'All of it is known' }),
  why_incomplete: z.string().nullable(),
});
export type AlertExplanation = z.infer<typeof AlertExplanation>;
