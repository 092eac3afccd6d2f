// The change of what people say of agents: note, labels, settings, maintenance.
import type { AgentChange, AgentLabels } from '@quarterdeck/core';
import type { Dialect, SqlValue } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import type { AgentAction, AgentRecord, Refusal } from './agent.action.ts';
import type { HistoryEntry } from './agent.history.ts';
import { type Label, labelsOf, setLabels } from './agent.labels.ts';

const SETTINGS = ['catch_transient_event', 'autorun_tools'] as const;
const DELETED: Refusal = { code: 'not_found', msg: 'It is deleted.' };

/** Those that are deleted: they are not there for what is not about deleted ones. */
export const refuseDeleted = async (_sql: unknown, rows: readonly AgentRecord[]) =>
  new Map(rows.filter((row) => row.is_deleted === 1).map(({ id }) => [id, DELETED] as const));

/** Changes agents. Of one that is so already nothing is written. */
export function updating(dialect: Dialect, wanted: AgentChange): AgentAction {
  const columns = Object.entries(columnsOf(wanted));
  const sets = [...columns.map(([name]) => `${name} = ?`), 'modified_ms = ?'].join(', ');
  const update = cached(`UPDATE agent SET ${sets} WHERE ${inJson(dialect, 'id')}`);
  return {
    event: 'agent.changed',
    refusals: refuseDeleted,
    async apply(tx, rows, nowMs) {
      const ids = rows.map(({ id }) => id);
      const labels = wanted.labels === undefined ? undefined : await labelsOf(tx.sql, ids);
      const happenings = rows.flatMap((row) => differences(row, labels?.get(row.id) ?? [], wanted));
      const written = [...new Set(happenings.map(({ agentId }) => agentId))];
      if (written.length === 0) return { written, happenings };
      await tx.sql.run(update, ...columns.map(([, value]) => value), nowMs, JSON.stringify(written));
      if (wanted.labels !== undefined) {
        const relabelled = happenings.filter(({ kind }) => kind === 'labels').map(({ agentId }) => agentId);
        await setLabels(tx, [...new Set(relabelled)], wanted.labels);
      }
      return { written, happenings };
    },
  };
}

/** Columns of `agent` that a change sets. Whoever decides on a setting takes both from the agent. */
function columnsOf(wanted: AgentChange): Record<string, SqlValue> {
  const columns: Record<string, SqlValue> = {};
  if (wanted.note !== undefined) columns['note'] = wanted.note;
  if (wanted.maintenance !== undefined) columns['maintenance'] = Number(wanted.maintenance);
  for (const name of SETTINGS) {
    if (wanted[name] === undefined) continue;
    columns[name] = Number(wanted[name]);
    columns['settings_managed'] = 1;
  }
  return columns;
}

function differences(row: AgentRecord, labels: readonly Label[], wanted: AgentChange): HistoryEntry[] {
  const found: HistoryEntry[] = [];
  const compare = (kind: HistoryEntry['kind'], field: string, before: string, after: string | undefined) => {
    if (after !== undefined && after !== before) found.push({ agentId: row.id, kind, field, before, after });
  };
  const word = (flag: number | boolean | undefined) => (flag === undefined ? undefined : String(Boolean(flag)));
  compare('note', 'note', row.note, wanted.note);
  compare('maintenance', 'maintenance', String(row.maintenance === 1), word(wanted.maintenance));
  const decides = SETTINGS.some((name) => wanted[name] !== undefined);
  compare('settings', 'managed', String(row.settings_managed === 1), decides ? 'true' : undefined);
  for (const name of SETTINGS) compare('settings', name, String(row[name] === 1), word(wanted[name]));
  if (wanted.labels !== undefined) {
    const before = Object.fromEntries(labels.map(({ name, value }) => [name, value]));
    const names = new Set([...Object.keys(before), ...Object.keys(wanted.labels)]);
    for (const name of [...names].sort()) {
      compare('labels', name, labelText(before, name), labelText(wanted.labels, name));
    }
  }
  return found;
}

/** A label as the list's filter has it; empty where there is none. */
function labelText(labels: AgentLabels, name: string): string {
  const value = labels[name];
  if (value === undefined) return '';
  return value === '' ? name : `${name}=${value}`;
}
