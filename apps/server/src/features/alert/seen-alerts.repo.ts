// Alerts that a caller who sees a part of the sources may read (decision 088).
import { type AlertKind, isWithinSourceFilter } from '@quarterdeck/core';
import { statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { Placed, SourceAccess } from '@quarterdeck/store';

/** A filter of sources, and what it admits. */
export interface AlertViewer {
  readonly errlogFilter: string;
  readonly access: SourceAccess;
}

/** Fields of an alert that decide who may read it. */
interface AlertSubject {
  readonly id: number;
  readonly key: string;
  /** Ids of groups as a JSON array. */
  readonly groups: string;
  /** Sources that the author of its rule could see when it was found; empty is all. */
  readonly within: string;
}

const SUBJECTS = statement((dialect) => `SELECT id, key, groups, within FROM alert WHERE ${inJson(dialect, 'id')}`);
const GROUPS = statement(
  (dialect) => `SELECT id, src, coalesce(service, '') AS service FROM errlog WHERE ${inJson(dialect, 'id')}`,
);

const groupsOf = ({ groups }: Pick<AlertSubject, 'groups'>): number[] => JSON.parse(groups) as number[];

/** Returns the ids among these of the alerts that a caller may read. */
export async function seenAlerts(tx: Tx, viewer: AlertViewer, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  return seenAmong(tx, viewer, await tx.sql.all<AlertSubject>(SUBJECTS, JSON.stringify(ids)));
}

/** The same for alerts that were read. */
export async function seenAmong(
  { sql }: Tx,
  { errlogFilter, access }: AlertViewer,
  alerts: readonly AlertSubject[],
): Promise<ReadonlySet<number>> {
  const groupIds = [...new Set(alerts.flatMap(groupsOf))];
  const rows = groupIds.length === 0 ? [] : await sql.all<Placed & { id: number }>(GROUPS, JSON.stringify(groupIds));
  const seenGroups = new Set(rows.flatMap((group) => (access.has(group) ? group.id : [])));
  const isSeen = (alert: AlertSubject) => {
    const groups = groupsOf(alert);
    if (!groups.every((id) => seenGroups.has(id))) return false;
    // A rule that saw no more than the caller counts nothing else.
    if (alert.within !== '' && isWithinSourceFilter(alert.within, errlogFilter)) return true;
    return isOfPart(alert.key, groups, access);
  };
  return new Set(alerts.filter(isSeen).map(({ id }) => id));
}

/** Tells whether an alert of a rule that sees everything is about admitted sources alone. */
function isOfPart(key: string, groups: readonly number[], { whole, agents }: SourceAccess): boolean {
  const [subject, text] = key.split(':');
  const id = Number(text);
  if (subject === 'group') return groups.length > 0;
  if (subject === 'source') return whole.has(id);
  return subject === 'agent' && agents.has(id);
}

/** Kinds of rules that are evaluated within the sources of their author. */
export const isNarrowedKind = (kind: AlertKind | string): boolean => kind.startsWith('errlog.');
