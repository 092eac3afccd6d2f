// The data of a message about an alert: the alert, the evidence, and links for people.
import {
  type Alert,
  type AlertMessage,
  INSTANCE_LINES,
  type LINK_PLACES,
  levelName,
  visibleText,
} from '@quarterdeck/core';
import { cleanName } from '@quarterdeck/core/lines';
import { type AlertRow, groupsOf } from './alert.repo.ts';
import { type Evidence, NO_EVIDENCE, type Subject } from './evidence/evidence.ts';

/** The alert of a row as the subject of evidence. */
export const subjectOf = (row: AlertRow, publicUrl: string | undefined): Subject => ({
  groups: groupsOf(row),
  sinceS: Number(row.sinceMs) / 1000,
  detail: JSON.parse(row.detail) as Subject['detail'],
  firedMs: Number(row.firedMs),
  looks: row.looks,
  publicUrl,
});

/** Most characters of a line in a message, and of a field; and most fields. */
const LINE_MAX = 2_000;
const FIELD_MAX = 200;
const FIELDS_MAX = 30;

/** Parts of a message that are not those of the alert. */
export interface Surroundings {
  readonly evidence?: Evidence | undefined;
  /** Templates of the rule. */
  readonly rule: { readonly runbook: string; readonly issue: string };
  /** Names of other rules that found the same. */
  readonly also?: readonly string[];
  /** Address of this server for people; undefined = unknown. */
  readonly publicUrl: string | undefined;
}

/** Puts the data of a message together. */
export function alertMessage(alert: Alert, { evidence, rule, also = [], publicUrl }: Surroundings): AlertMessage {
  const known = evidence ?? NO_EVIDENCE;
  const cause = known.cause ?? alert.cause;
  const [group] = alert.groups;
  const page = (path: string) => (publicUrl === undefined ? null : `${publicUrl}${path}`);
  const own = page(`/a/${alert.id}`);
  const places: Record<(typeof LINK_PLACES)[number], string> = {
    title: alert.title,
    service: known.what?.service ?? '',
    host: known.hosts?.names[0] ?? '',
    level: known.what === null ? '' : levelName(known.what.level),
    key: alert.key,
    id: String(alert.id),
    url: own ?? '',
  };
  return {
    ...alert,
    ...known,
    cause,
    lines: known.lines.slice(0, INSTANCE_LINES),
    also: [...also],
    links: {
      alert: own,
      error: group === undefined ? null : page(`/e/${group}`),
      change: cause?.link ?? null,
      runbook: filled(rule.runbook, places),
      issue: filled(rule.issue, places),
    },
  };
}

/** Fills the places of a template of an address; null where there is none. */
function filled(template: string, places: Readonly<Record<string, string>>): string | null {
  if (template === '') return null;
  const url = template.replaceAll(/\{(\w+)\}/g, (_, place: string) => encodeURIComponent(places[place] ?? ''));
  return URL.canParse(url) ? url : null;
}

/** The evidence with lines that fit into a message. */
export const boundedEvidence = (evidence: Evidence): Evidence => ({
  ...evidence,
  lines: evidence.lines.map((line) => ({
    ...line,
    log: line.log.slice(0, LINE_MAX).toWellFormed(),
    fields: Object.fromEntries(
      Object.entries(line.fields)
        .slice(0, FIELDS_MAX)
        .map(([name, value]) => [name, value.slice(0, FIELD_MAX).toWellFormed()]),
    ),
  })),
});

/** A title as one bounded line without escape sequences and invisible characters: parts of it come from log lines. */
export const shownTitle = (title: string): string => cleanName(visibleText(title));
