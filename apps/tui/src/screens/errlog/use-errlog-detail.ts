// The details of the selected entry: the entry itself, or what changed before it.
import type { ErrlogChanges } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { sourceName } from '@quarterdeck/views/errlog';
import { hasData } from '@quarterdeck/views/reads';
import { rangePhrase } from '@quarterdeck/views/times';
import { useEffect, useState } from 'react';
import type { Detail } from '../../components/list/detail-lines.ts';
import type { List } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { levelTone } from '../../theme/theme.ts';
import { changesLines } from './changes-view.ts';
import { errlogLines, errlogTitle } from './errlog-detail-view.ts';
import { useChanges, useEntryLines, useErrorGroups } from './use-errlog-extras.ts';

/** The details, and the switch between their two forms. */
export interface ErrlogDetail {
  readonly detail: Detail | undefined;
  /** Null while they are not known. */
  readonly changes: ErrlogChanges | null;
  readonly showsChanges: boolean;
  readonly showChanges: (shown: boolean) => void;
}

/** Reads what the open details show. */
export function useErrlogDetail(list: List<ErrlogEntry>, visible: boolean, nowMs: number): ErrlogDetail {
  const { range, keyOf } = useDashboard();
  const { selected, state, act } = list;
  const isReading = visible && state.detail !== 'closed';
  const [showsChanges, setShowsChanges] = useState(false);
  const isClosed = state.detail === 'closed';
  // The next details that are opened are those of an error, whatever the last ones showed.
  useEffect(() => {
    if (isClosed) setShowsChanges(false);
  }, [isClosed]);
  const lines = useEntryLines(selected, isReading && !showsChanges);
  const groups = useErrorGroups(selected, isReading && !showsChanges);
  const changes = useChanges(selected?.id, isReading && showsChanges);
  const context = {
    lines,
    openKey: keyOf('errlog.lines'),
    nowMs,
    range: range === null ? '' : rangePhrase(range, nowMs),
  };
  const detailOf = (entry: ErrlogEntry): Detail => ({
    title: showsChanges ? `What changed before ${errlogTitle(entry)}` : errlogTitle(entry),
    tone: levelTone(entry.level),
    lines: (width) =>
      showsChanges
        ? changesLines(changes, { name: sourceName(entry), keyOf, nowMs }, width)
        : errlogLines(entry, { ...context, groups, width }),
  });
  return {
    detail: selected === undefined ? undefined : detailOf(selected),
    changes: hasData(changes) ? changes.data : null,
    showsChanges,
    showChanges(shown) {
      setShowsChanges(shown);
      if (selected !== undefined) act({ type: 'scroll', id: selected.id, to: 0 });
      if (shown && state.detail === 'closed') act({ type: 'detail', detail: 'open' });
    },
  };
}
