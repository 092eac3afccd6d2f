// Effects of a change from outside on the errors of the hosts that made it: wire contract section 11.
import * as z from 'zod';
import { UnixFraction, UnixSeconds } from './primitives.ts';

/** Most errors of an answer. */
export const EFFECTS_MAX = 100;

const count = (where: string) => z.int().meta({ description: `Occurrences ${where}` });

/** An error whose frequency changed on the hosts that made a change, and not as much on the others. */
export const ChangeEffect = z.object({
  id: z.int().meta({ description: 'The group with the most occurrences on the hosts that made the change' }),
  level: z.int(),
  log: z.string(),
  service: z.string(),
  before: count('on the hosts that made the change, between `from` and `time`'),
  after: count('on the hosts that made the change, between `time` and `until`'),
  others_before: count('on the other hosts, between `from` and `time`'),
  others_after: count('on the other hosts, between `time` and `until`'),
  verdict: z.enum(['new', 'more', 'less']).meta({ description: 'new: it did not happen before on these hosts' }),
});
export type ChangeEffect = z.infer<typeof ChangeEffect>;

/** Reason why the absence of a difference is not certain. */
export const EffectLack = z.enum(['hosts', 'silent', 'lines', 'time']);
export type EffectLack = z.infer<typeof EffectLack>;

/** Errors that became more or less frequent after a change, and the verdict about it. */
export const ChangeEffects = z.object({
  verdict: z.enum(['worse', 'no_difference', 'too_early']).meta({
    description:
      'worse: an error of level ERR or worse is new or more frequent; too_early: neither is certain, for the reasons in `missing`',
  }),
  settled: z.boolean().meta({ description: 'Waiting changes nothing more' }),
  missing: z.array(EffectLack).meta({
    description:
      'hosts: none of them is known; silent: some do not report; lines: as `complete` says; time: under 10 minutes have passed',
  }),
  time: UnixFraction.meta({ description: 'Time of the change' }),
  from: UnixSeconds.meta({ description: 'Start of the comparison' }),
  until: UnixSeconds.meta({ description: 'End of the comparison' }),
  hosts: z.int().meta({ description: 'Hosts that made the change and reported in this span' }),
  others: z.int().meta({ description: 'Hosts that did not make it and reported in this span' }),
  silent: z.int().meta({ description: 'Hosts that made the change and have stopped reporting' }),
  complete: z
    .boolean()
    .meta({ description: 'false: there were too many errors to compare all of them, or lines were lost in the span' }),
  errors: z.array(ChangeEffect).meta({ description: `At most ${EFFECTS_MAX}: new and more frequent ones first` }),
});
export type ChangeEffects = z.infer<typeof ChangeEffects>;
