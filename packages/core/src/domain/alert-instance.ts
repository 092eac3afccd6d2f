// Alerts: the causes that rules have found, with what is known about each (wire contract sections 11 and 12).
import * as z from 'zod';
import { ALERT_KIND_NAMES } from './alert-kinds.ts';
import { ChangeStrength, MergedChange } from './errlog-changes.ts';
import { Line } from './line.ts';
import { MuteUntil } from './mute-until.ts';
import { queryInt, text, UnixFraction, UnixSeconds } from './primitives.ts';

/**
 * `pending`: the cause does not last long enough yet. `firing`: somebody was notified. `resolved`: it has ended. Alerts
 * of a kind without an end are resolved as soon as somebody was notified.
 */
export const ALERT_STATES = ['pending', 'firing', 'resolved'] as const;
export const AlertState = z.enum(ALERT_STATES);
export type AlertState = z.infer<typeof AlertState>;

/** The first suspected change before the error of an alert, or why none can be named. */
export const AlertCause = z.object({
  sentence: z.string().nullable().meta({ description: 'The suspected change and its hosts; null = none is named' }),
  strength: ChangeStrength.nullable(),
  change: MergedChange.extend({
    change_id: z.int().meta({ description: 'Id of the change from outside; 0 = none' }),
    time: UnixSeconds.meta({ description: 'Time of the earliest such change' }),
    before: z.int().meta({ description: 'Median seconds from the change to the error' }),
  }).nullable(),
  link: z.string().nullable().meta({ description: 'Page of the change; null = it has none' }),
  why: z.string().nullable().meta({ description: 'Why no change is named; null = one is' }),
  settled: z.boolean().meta({ description: 'It is not looked at again' }),
  next_look: UnixFraction.nullable().meta({ description: 'Time at which it is looked at again; null = it is settled' }),
});
export type AlertCause = z.infer<typeof AlertCause>;

/** One cause that a rule found, from its beginning to its end. */
export const Alert = z.object({
  id: z.int(),
  rule_id: z.int(),
  rule: z.string().meta({ description: 'Name of the rule' }),
  kind: z.enum(ALERT_KIND_NAMES),
  key: z.string().meta({ description: 'Subject of the alert, such as group:17, source:3, agent:12' }),
  groups: z.array(z.int()).meta({ description: 'Ids of the groups of errors that it is about' }),
  state: AlertState,
  title: z.string().meta({ description: 'One line for people' }),
  detail: z.record(z.string(), z.unknown()).meta({ description: 'More of the cause; its fields depend on the kind' }),
  cause: AlertCause.nullable().meta({
    description: 'The suspected change; null = the alert is not about errors, or was not examined',
  }),
  parent_id: z.int().nullable().meta({
    description: 'Alert under which it is grouped, such as that of an outage; null = none that the caller may read',
  }),
  under: z.int().meta({ description: 'Number of alerts that are grouped under it and that the caller may read' }),
  messages: z
    .int()
    .meta({ description: 'Messages sent of it; 0 = notified by the alert under which it is grouped, or muted' }),
  acknowledged: z
    .object({ time: UnixFraction, by: z.string(), note: z.string() })
    .nullable()
    .meta({ description: 'The acknowledgement of a person; null = there is none' }),
  assigned: z.object({ id: z.int(), username: z.string() }).nullable().meta({ description: 'User who works on it' }),
  muted_until: UnixFraction.nullable().meta({ description: 'Nobody is notified of it until then; null = not muted' }),
  since: UnixFraction.meta({ description: 'Start of the cause' }),
  fired: UnixFraction.nullable().meta({ description: 'Time of its first message' }),
  resolved: UnixFraction.nullable().meta({ description: 'End of the cause; null = it lasts' }),
});
export type Alert = z.infer<typeof Alert>;

/** Evidence of an alert, in the order in which a message says it. Parts that do not apply are null or empty. */
const evidence = {
  what: z
    .object({
      level: z.int().meta({ description: 'Number of the level' }),
      service: z.string(),
      source: z.string(),
      text: z.string().meta({ description: 'Text of the error without its variable parts' }),
    })
    .nullable()
    .meta({ description: 'The error; null = the alert is not about one' }),
  counts: z
    .object({
      count: z.int().meta({ description: 'Occurrences since `from`' }),
      from: UnixFraction,
      per_minute: z.number().meta({ description: 'Occurrences per minute since then' }),
      usual: z.number().meta({ description: 'Usual occurrences per minute before' }),
    })
    .nullable(),
  hosts: z
    .object({
      failing: z.int(),
      of: z.int().nullable().meta({ description: 'All hosts of that time; null = unknown, or agents may not be read' }),
      names: z.array(z.string()).meta({ description: 'Some of the failing hosts' }),
    })
    .nullable(),
  vitals: z.array(z.string()).meta({
    description:
      'Failing hosts that were over a usual limit when it began, in sentences. They are no cause by themselves',
  }),
  lines: z.array(Line).meta({ description: 'The newest lines, newest first' }),
  incomplete: z.array(z.string()).meta({ description: 'Missing parts, in sentences' }),
  also: z.array(z.string()).meta({ description: 'Names of other rules that found the same at the same time' }),
  links: z
    .object({
      alert: z.string().nullable(),
      error: z.string().nullable(),
      change: z.string().nullable(),
      runbook: z.string().nullable(),
      issue: z.string().nullable().meta({ description: 'Opens a prefilled issue elsewhere' }),
    })
    .meta({ description: 'Pages for people; null = there is none, or QUARTERDECK_PUBLIC_URL is not set' }),
};

/** Most lines in a message, and of one alert that is read. */
export const MESSAGE_LINES = 5;
export const INSTANCE_LINES = 20;

/** Data of an event, and of a message to a channel, about an alert. */
export const AlertMessage = Alert.extend(evidence);
export type AlertMessage = z.infer<typeof AlertMessage>;

/** One alert with all that is known about it. */
export const AlertInstance = AlertMessage.extend({
  until: UnixFraction.nullable().meta({ description: 'The same as `resolved`' }),
  meta: z.object({
    complete: z.boolean().meta({ description: 'false: `incomplete` says what is missing' }),
  }),
});
export type AlertInstance = z.infer<typeof AlertInstance>;

/** Filters of the list of alerts. */
export const alertFilters = {
  state: AlertState.optional(),
  rule_id: queryInt(1).optional(),
  kind: z.enum(ALERT_KIND_NAMES).optional(),
};

/** Most characters of the note of an acknowledgement. */
const NOTE_MAX = 1000;

/** The caller has seen an alert. */
export const AlertAcknowledgement = z
  .object({ note: text(NOTE_MAX).default('') })
  .meta({ examples: [{ note: 'rolled back, watching' }] });
export type AlertAcknowledgement = z.infer<typeof AlertAcknowledgement>;

/** The user who works on an alert; null = nobody. */
export const AlertAssignment = z
  .object({
    user: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'Another user than the caller takes the permission user:read' }),
  })
  .meta({ examples: [{ user: 2 }] });
export type AlertAssignment = z.infer<typeof AlertAssignment>;

/** The time until which nobody is notified of an alert. */
export const AlertMute = z
  .object({
    until: z.union([z.int().min(0), MuteUntil]).meta({
      description:
        'Unix seconds in the future, or a duration such as 1h; for an alert about errors also a number of times such ' +
        'as 100x, as of a group; 0 ends the mute',
    }),
  })
  .meta({ examples: [{ until: 0 }, { until: '1h' }] });
export type AlertMute = z.infer<typeof AlertMute>;
