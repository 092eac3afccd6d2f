// Demo: what is known about an alert: its error, counts, hosts, suspected change, lines and links.
import { type Alert, type AlertCause, type AlertInstance, INSTANCE_LINES } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import type { Fleet } from './fleet-state.ts';

const PAGE = 'https://quarterdeck.example.org';
const HOSTS_MAX = 10;
const MINUTE_S = 60;

/** A suspected change from outside, with its words. */
export const changeCause = (
  sentence: string,
  change: { readonly id: number; readonly name: string; readonly from: string; readonly to: string },
  times: { readonly time: number; readonly before: number },
): AlertCause => ({
  sentence,
  strength: 'likely',
  change: {
    kind: 'change',
    field: 'deploy',
    name: change.name,
    from: change.from,
    to: change.to,
    change_id: change.id,
    ...times,
  },
  link: `${PAGE}/changes?id=${change.id}`,
  why: null,
  settled: true,
  next_look: null,
});

/** A cause that cannot be named. */
export const noCause = (why: string, nextLook: number | null): AlertCause => ({
  sentence: null,
  strength: null,
  change: null,
  link: null,
  why,
  settled: nextLook === null,
  next_look: nextLook,
});

/** The text of an error without its variable parts. */
const pattern = (log: string): string =>
  log.replaceAll(/\d+\.\d+\.\d+\.\d+/g, '<ip>').replaceAll(/(?<=[\s:=#(])\d+(?=[\s:,.)]|$)/g, '<n>');

const what = ({ level, service = '', source = '', log }: ErrlogEntry): AlertInstance['what'] => ({
  level,
  service,
  source,
  text: pattern(log),
});

function counts(entries: readonly ErrlogEntry[], since: number, nowS: number): AlertInstance['counts'] {
  const count = entries.reduce((sum, entry) => sum + entry.count, 0);
  const perMinute = count / Math.max(1, (nowS - since) / MINUTE_S);
  return { count, from: since, per_minute: Math.round(perMinute * 100) / 100, usual: 0 };
}

/** Reads all that is known about an alert. */
export function instanceOf({ errlog, lines, agents, alertRules }: Fleet, alert: Alert, nowS: number): AlertInstance {
  const entries = alert.groups.flatMap((id) => errlog.filter((entry) => entry.id === id));
  const [first] = entries;
  const groups = new Set(alert.groups);
  const names = [...new Set(entries.map(({ host, source = '' }) => host || source))];
  const rule = alertRules.find(({ id }) => id === alert.rule_id);
  const incomplete = alert.groups.length > 0 && first === undefined ? ['The error was deleted.'] : [];
  const filled = (template = ''): string | null =>
    template === ''
      ? null
      : template
          .replace('{service}', encodeURIComponent(first?.service ?? ''))
          .replace('{title}', encodeURIComponent(alert.title));
  return {
    ...alert,
    what: first === undefined ? null : what(first),
    counts: first === undefined ? null : counts(entries, alert.since, nowS),
    hosts:
      first === undefined
        ? null
        : { failing: names.length, of: agents.length === 0 ? null : agents.length, names: names.slice(0, HOSTS_MAX) },
    vitals: [],
    lines: lines.filter(({ group }) => groups.has(group)).slice(0, INSTANCE_LINES),
    incomplete,
    also: [],
    links: {
      alert: `${PAGE}/a/${alert.id}`,
      error: first === undefined ? null : `${PAGE}/e/${first.id}`,
      change: alert.cause?.link ?? null,
      runbook: filled(rule?.runbook),
      issue: filled(rule?.issue),
    },
    until: alert.resolved,
    meta: { complete: incomplete.length === 0 },
  };
}
