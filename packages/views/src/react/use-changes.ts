// Requests about changes from outside and their effects.
import type { Change, ChangeEffects } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import type { FeedEvent } from '../live/feed.ts';
import type { ReadRange } from '../reads/lists.ts';
import type { Query } from '../reads/query.ts';
import type { Rows } from '../reads/window.ts';
import { useRowQuery } from './use-row-query.ts';
import { useRows } from './use-rows.ts';
import { useViews } from './views-context.ts';

/** Intervals between reads, milliseconds. */
const EVERY_MS = 60_000;
const EFFECTS_EVERY_MS = 30_000;

const list: ReadRange<Change> = (client, query, signal) => client.change.list({ query }, { signal });

const isStale = ({ type }: FeedEvent): boolean => type === 'change.created' || type === 'resync';

/** Reads the changes while `active`, latest first, and again when one is reported. */
export function useReportedChanges(active: boolean): Rows<Change> {
  return useRows(list, active, { everyMs: EVERY_MS, isStale });
}

/** Reads the effects of the selected change. */
export function useChangeEffects(id: number | undefined, active: boolean): Query<ChangeEffects> {
  const { client } = useViews();
  const read = useCallback(
    (signal: AbortSignal) => client.change.effects({ params: { id: id ?? 0 }, query: {} }, { signal }),
    [client, id],
  );
  return useRowQuery(id, read, { active, everyMs: EFFECTS_EVERY_MS });
}
