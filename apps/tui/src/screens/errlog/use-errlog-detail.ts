// The details of the selected entry: the entry itself, or what changed before it.
import type { ErrlogChanges } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { useState } from 'react';
import type { Detail } from '../../components/list/detail-lines.ts';
import type { List } from '../../components/list/use-list.ts';
import { hasData } from '../../data/query.ts';
import { levelTone } from '../../theme.ts';
import { changesLines } from './changes-view.ts';
import { errlogLines, errlogTitle } from './errlog-view.ts';
import { useChanges, useOccurrences } from './use-errlog-extras.ts';

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
  const { selected, state, act } = list;
  const isReading = visible && state.detail !== 'closed';
  const [showsChanges, setShowsChanges] = useState(false);
  const occurrences = useOccurrences(selected?.id, isReading && !showsChanges);
  const changes = useChanges(selected?.id, isReading && showsChanges);
  const detailOf = (entry: ErrlogEntry): Detail => ({
    title: showsChanges ? `What changed before ${errlogTitle(entry)}` : errlogTitle(entry),
    tone: levelTone(entry.level),
    lines: (width) =>
      showsChanges ? changesLines(changes, nowMs, width) : errlogLines(entry, occurrences, nowMs, width),
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
