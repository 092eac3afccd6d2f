// Rules of alerts: they decide when somebody is notified (wire contract section 11).
import * as z from 'zod';
import { ALERT_KIND_NAMES, ALERT_PER, alertKind } from './alert-kinds.ts';
import { AgentFilterText, FilterText } from './filter.ts';
import { isHttpTarget, nameText, text, UnixFraction } from './primitives.ts';
import { RESOURCES } from './vitals-limits.ts';
import { WebhookKind } from './webhook-kind.ts';

/** Units that a rule counts by: each of them is a cause of its own. */
export const AlertPer = z.enum(ALERT_PER);
export type AlertPer = z.infer<typeof AlertPer>;

const DAY_S = 86_400;
/** Most channels of a rule. */
export const ALERT_CHANNELS_MAX = 20;

const COUNT_MAX = 1_000_000_000;

/** Condition of a rule. Settings that are absent have the default of the kind; the answer has them all. */
export const AlertCondition = z
  .object({
    kind: z.enum(ALERT_KIND_NAMES),
    count: z.int().min(0).max(COUNT_MAX).optional().meta({ description: 'Number that must be exceeded' }),
    within: z.int().min(1).optional().meta({ description: 'Seconds looked at' }),
    per: AlertPer.optional().meta({ description: 'Unit of the count' }),
    resource: z
      .enum(RESOURCES)
      .optional()
      .meta({ description: 'Resource of a host, with host.resource; default disk' }),
  })
  .superRefine((condition, context) => {
    const { kind, count, within, per, resource } = condition;
    const spec = alertKind(kind);
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (count !== undefined && spec.count === undefined) refuse('count', `does not belong to ${kind}`);
    if (per !== undefined && spec.per === undefined) refuse('per', `does not belong to ${kind}`);
    else if (per !== undefined && !spec.per?.includes(per)) refuse('per', `must be ${spec.per?.join(' or ')}`);
    if (resource !== undefined && spec.resources === undefined) refuse('resource', `does not belong to ${kind}`);
    if (within === undefined) return;
    if (spec.within === undefined) return refuse('within', `does not belong to ${kind}`);
    const { min, max } = spec.within;
    if (within < min || within > max) refuse('within', `must be from ${min} to ${max} seconds`);
  })
  .meta({ examples: [{ kind: 'errlog.count', count: 100, within: 300, per: 'service' }] });
export type AlertCondition = z.infer<typeof AlertCondition>;

/** Places of a template of an address. */
export const LINK_PLACES = ['title', 'service', 'host', 'level', 'key', 'id', 'url'] as const;
const PLACES = LINK_PLACES.map((place) => `{${place}}`).join(', ');

/** Address of a page with places such as `{service}`; empty = none. */
const LinkTemplate = text(2000)
  .refine((template) => template === '' || isHttpTarget(template.replaceAll(/\{\w+\}/g, 'x')), {
    message: 'must be an http or https URL without a password',
  })
  .refine(
    (template) => [...template.matchAll(/\{(\w+)\}/g)].every(([, place]) => LINK_PLACES.some((one) => one === place)),
    { message: `has a place that is not one of ${PLACES}` },
  );

const ruleFields = {
  name: nameText(200).min(1),
  enabled: z.boolean(),
  when: AlertCondition,
  filter: z
    .string()
    .max(4096)
    .meta({
      description:
        'Narrows the rule in the filter language: of lines for errlog and silence, of agents for agent kinds',
      examples: ['level:>=error service:checkout'],
    }),
  for: z
    .int()
    .min(0)
    .max(DAY_S)
    .meta({ description: 'Seconds for which a cause must last before somebody is notified' }),
  cooldown: z
    .int()
    .min(0)
    .max(7 * DAY_S)
    .meta({ description: 'Seconds in which nobody is notified of the same cause again' }),
  repeat: z
    .int()
    .min(0)
    .max(7 * DAY_S)
    .refine((seconds) => seconds === 0 || seconds >= 60, { message: 'must be 0, or 60 or more' })
    .meta({
      description:
        'Seconds after which somebody is notified again of an open alert until it is acknowledged; 0 = never',
    }),
  channels: z.array(z.int().min(1)).max(ALERT_CHANNELS_MAX).meta({ description: 'Ids of webhooks' }),
  runbook: LinkTemplate.meta({
    description: `Address of what to do, in messages; ${PLACES} in it are replaced`,
    examples: ['https://wiki.example.org/runbooks/{service}'],
  }),
  issue: LinkTemplate.meta({
    description: `Address that opens a prefilled issue elsewhere, in messages; ${PLACES} in it are replaced`,
    examples: ['https://git.example.org/ops/issues/new?title={title}&body={url}'],
  }),
};

/** Default of `cooldown`, seconds. */
export const ALERT_COOLDOWN_S = 3600;

/** Adds the reasons for which settings of a rule are refused by its kind. */
function checkKind(
  rule: { readonly when: AlertCondition; readonly filter: string; readonly for: number },
  context: z.RefinementCtx,
): void {
  if (rule.for > 0 && !alertKind(rule.when.kind).ends) {
    context.addIssue({ code: 'custom', path: ['for'], message: `does not belong to ${rule.when.kind}: it has no end` });
  }
  if (rule.filter === '') return;
  const language = alertKind(rule.when.kind).filter;
  if (language === undefined) {
    context.addIssue({ code: 'custom', path: ['filter'], message: `does not belong to ${rule.when.kind}` });
    return;
  }
  const parsed = (language === 'line' ? FilterText : AgentFilterText).safeParse(rule.filter);
  for (const { message } of parsed.error?.issues ?? []) context.addIssue({ code: 'custom', path: ['filter'], message });
}

const draftFields = {
  ...ruleFields,
  enabled: ruleFields.enabled.default(true),
  filter: ruleFields.filter.default(''),
  for: ruleFields.for.default(0),
  cooldown: ruleFields.cooldown.default(ALERT_COOLDOWN_S),
  repeat: ruleFields.repeat.default(0),
  channels: ruleFields.channels.default([]),
  runbook: ruleFields.runbook.default(''),
  issue: ruleFields.issue.default(''),
};

/** The largest body: each setting depends on the kind. */
const EXAMPLE = {
  name: 'too many errors of a service',
  enabled: true,
  when: { kind: 'errlog.count', count: 100, within: 300, per: 'service' },
  filter: 'level:>=error service:checkout',
  for: 60,
  cooldown: 3600,
  repeat: 3600,
  channels: [1],
  runbook: 'https://wiki.example.org/runbooks/{service}',
  issue: 'https://git.example.org/ops/issues/new?title={title}',
};
const EXAMPLES = [{ name: 'new errors', when: { kind: 'errlog.new' } }, EXAMPLE];

/** A rule to be created. */
export const AlertRuleDraft = z.object(draftFields).superRefine(checkKind).meta({ examples: EXAMPLES });
export type AlertRuleDraft = z.infer<typeof AlertRuleDraft>;

/** A rule to be tried by `preview`. It needs no name. */
export const AlertRuleTrial = z
  .object({ ...draftFields, name: nameText(200).default('') })
  .superRefine(checkKind)
  .meta({ examples: EXAMPLES });
export type AlertRuleTrial = z.infer<typeof AlertRuleTrial>;

/** Changes of a rule; what is absent stays. `filter` and `for` are checked with the kind that the rule then has. */
export const AlertRuleChange = z
  .object(ruleFields)
  .partial()
  .meta({ examples: [{ enabled: false }, EXAMPLE] });
export type AlertRuleChange = z.infer<typeof AlertRuleChange>;

/** A channel as those see it who may choose it for a rule. */
export const AlertChannel = z.object({ id: z.int(), name: z.string(), kind: WebhookKind, enabled: z.boolean() });
export type AlertChannel = z.infer<typeof AlertChannel>;

/** A stored rule, as lists and events show it. */
export const AlertRule = z.object({
  id: z.int(),
  name: z.string(),
  enabled: z.boolean(),
  when: AlertCondition,
  filter: z.string(),
  for: z.int(),
  cooldown: z.int(),
  repeat: z.int(),
  channels: z.array(z.int()),
  runbook: z.string(),
  issue: z.string(),
  firing: z.int().meta({ description: 'Alerts of it that have not ended and that the caller may read' }),
  last_fired: UnixFraction.nullable().meta({
    description: 'Time of its last message; null = never, or the caller may not read its alerts',
  }),
  stopped: z
    .object({ since: UnixFraction, why: z.string() })
    .nullable()
    .meta({ description: 'Its author has lost a right that it needs; null = it runs, or is disabled' }),
  created: UnixFraction,
  created_by: z.string(),
  modified: UnixFraction,
});
export type AlertRule = z.infer<typeof AlertRule>;

/** Result of sending a test message. */
export const AlertTest = z.object({
  channels: z.array(z.int()).meta({ description: 'Ids of the webhooks that the message is sent to' }),
  deliveries: z
    .array(z.object({ id: z.int(), channel: z.int() }))
    .meta({ description: 'The delivery to each of them, whose outcome `webhook.delivery` has' }),
});
export type AlertTest = z.infer<typeof AlertTest>;

/** Result of trying a rule on the last 24 hours. */
export const AlertPreview = z.object({
  from: UnixFraction,
  to: UnixFraction,
  fired: z.int().meta({ description: 'Messages that the rule would have sent, without those of ends' }),
  causes: z.int().meta({ description: 'Different causes of them' }),
  examples: z.array(z.object({ time: UnixFraction, key: z.string(), title: z.string() })),
  complete: z.boolean().meta({ description: 'All of the time was looked at' }),
  why_incomplete: z.string().nullable(),
});
export type AlertPreview = z.infer<typeof AlertPreview>;
