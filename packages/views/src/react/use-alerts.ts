// Requests about alerts and their rules.
import type { Alert, AlertChannel, AlertInstance } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { type Firing, isAboutAlerts, type RuleRow, readAlerts, readFiring, readRules } from '../alerts/alerts.ts';
import { hasData, type Query } from '../reads/query.ts';
import { useRead } from './use-query.ts';
import { useRowQuery } from './use-row-query.ts';
import { useViews } from './views-context.ts';

const READS = { everyMs: 30_000, isStale: isAboutAlerts };
const NONE: readonly Alert[] = [];

/** Reads the alerts while `active`, and again when one changes. */
export function useAlerts(active: boolean) {
  const handle = useRead(readAlerts, active, READS);
  const { query } = handle;
  return { ...handle, rows: hasData(query) ? query.data.rows : NONE, total: hasData(query) ? query.data.total : 0 };
}

/** Reads all that is known about an alert while `active`, and again when an alert changes. */
export function useAlertInstance(id: number | undefined, active: boolean): Query<AlertInstance> {
  const { client } = useViews();
  const read = useCallback(
    (signal: AbortSignal) => client.alert.instance({ params: { id: id ?? 0 } }, { signal }),
    [client, id],
  );
  return useRowQuery(id, read, { active, ...READS });
}

/** Reads the alerts that fire now while `active`; undefined before the first answer. */
export function useFiring(active: boolean): Firing | undefined {
  const { query } = useRead(readFiring, active, READS);
  return hasData(query) ? query.data : undefined;
}

const NO_RULES: readonly RuleRow[] = [];
const NO_CHANNELS: readonly AlertChannel[] = [];

/** Reads the rules while `active`, and again when an alert fires or ends. */
export function useAlertRules(active: boolean) {
  const handle = useRead(readRules, active, READS);
  const { query } = handle;
  return {
    ...handle,
    rows: hasData(query) ? query.data.rows : NO_RULES,
    channels: hasData(query) ? query.data.channels : NO_CHANNELS,
  };
}
