// Corrections of grouping by people: wire contract section 12.
import * as z from 'zod';
import { FilterText } from './filter.ts';
import { ById, text, UnixFraction } from './primitives.ts';

const DryRun = z.boolean().default(false).meta({ description: 'Report the result without a change' });

/** Groups whose errors become one, on every source. */
export const ErrlogMerge = z
  .object({
    ids: z
      .array(ById.shape.id)
      .min(2)
      .max(200)
      .meta({ description: 'Groups of one level, service and application; the first one takes the others in' }),
    dry_run: DryRun,
  })
  .meta({ examples: [{ ids: [12, 17], dry_run: true }] });
export type ErrlogMerge = z.infer<typeof ErrlogMerge>;

/** Lines that leave their group, with all that are like them. */
export const ErrlogSplit = z
  .object({
    lines: z
      .array(z.union([text(15).regex(/^\d+$/, 'must be the id of a line'), z.int().min(0)]).transform(String))
      .min(1)
      .max(100)
      .meta({ description: 'Ids of lines of the group' }),
    dry_run: DryRun,
  })
  .meta({ examples: [{ lines: ['4711'], dry_run: true }] });
export type ErrlogSplit = z.infer<typeof ErrlogSplit>;

/** Result of a merge or a split. */
export const ErrlogRegrouped = z.object({
  matched: z.int().meta({ description: 'Groups of a merge, on all sources; occurrences that a split moves' }),
  group: z.int().meta({ description: 'The group that others came into, or that lines left' }),
  new_group: z.int().optional().meta({ description: 'The group of the lines that left; absent in a dry run' }),
  expression: z
    .string()
    .optional()
    .meta({ description: 'What the lines of the new group match; absent where lines go back to a merged group' }),
});
export type ErrlogRegrouped = z.infer<typeof ErrlogRegrouped>;

const RuleText = FilterText.meta({
  description:
    'Filter of the lines, such as service:x /expression with (capture)/; each text of a capture is a group of its own',
  example: 'service:shop /payment by (\\w+) failed/',
});

/** Effect of a rule on its lines: they are a group, or one that is muted from its start. */
export const ErrlogRuleAction = z.enum(['group', 'ignore']);

/** A rule to be created. */
export const ErrlogRuleDraft = z
  .object({ text: RuleText, action: ErrlogRuleAction, dry_run: DryRun })
  .meta({ examples: [{ text: 'service:shop /payment by (\\w+) failed/', action: 'group', dry_run: true }] });
export type ErrlogRuleDraft = z.infer<typeof ErrlogRuleDraft>;

/** A rule to be deleted. */
export const ErrlogRuleRemoval = z.object({ text: RuleText, dry_run: DryRun });
export type ErrlogRuleRemoval = z.infer<typeof ErrlogRuleRemoval>;

/** A rule that makes groups. */
export const ErrlogRule = z.object({
  id: z.int(),
  text: z.string(),
  action: ErrlogRuleAction,
  created: UnixFraction,
  created_by: z.string(),
});
export type ErrlogRule = z.infer<typeof ErrlogRule>;

/** Lines of the last day that a rule matches. */
export const ErrlogRuleTrial = z.object({
  matched: z.int().meta({ description: 'Occurrences of the last day that match' }),
  groups: z
    .array(z.object({ id: z.int(), count: z.int(), log: z.string() }))
    .meta({ description: 'Groups that these are in now, at most 100, the latest first' }),
  complete: z.boolean().meta({ description: 'False where not all lines of the day were searched' }),
  rule: ErrlogRule.optional().meta({ description: 'The rule; absent in a dry run of a creation' }),
});
export type ErrlogRuleTrial = z.infer<typeof ErrlogRuleTrial>;

/** A correction in the history of a group. */
export const ErrlogCorrection = z.object({
  time: UnixFraction,
  action: z.enum(['merge', 'split']),
  actor: z.string(),
  other: z.int().meta({ description: 'The group that came in, or that lines left to or came from' }),
  log: z.string().meta({ description: 'Its text at that time; empty where lines came from it' }),
});
export type ErrlogCorrection = z.infer<typeof ErrlogCorrection>;

/** Merges and splits that made a group what it is, newest first. */
export const ErrlogHistory = z.object({ data: z.array(ErrlogCorrection) });
export type ErrlogHistory = z.infer<typeof ErrlogHistory>;
