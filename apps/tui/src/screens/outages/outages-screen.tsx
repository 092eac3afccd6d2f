// The outages: when many agents went silent together.
import { type ReactElement, useMemo } from 'react';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { QueryNotice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { outageMessage } from '../../data/outage-message.ts';
import { useOutages } from '../../data/outages.ts';
import { staleMessage } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { outageColumns, outageLines, outageTitle } from './outages-view.ts';

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function OutagesScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { now, go } = useDashboard();
  const { query, rows, refresh } = useOutages(visible);
  const nowMs = useNow(now, 1000, visible);
  const columns = useMemo(() => outageColumns(nowMs), [nowMs]);
  return (
    <ListScreen
      place="outages"
      visible={visible}
      rows={rows}
      columns={columns}
      detail={(outage) => ({ title: outageTitle(outage), lines: (width) => outageLines(outage, nowMs, width) })}
      standing={
        staleMessage(query, nowMs) ??
        outageMessage(
          rows.find(({ ended }) => ended === null),
          nowMs,
        )
      }
      extras={{ refresh }}
      commands={() => ({ away: () => go({ screen: 'agents', args: { state: 'away' } }) })}
      empty={(width, height) => (
        <QueryNotice
          query={query}
          reading="Reading the outages…"
          empty="No outages."
          lines={['Many agents that go silent together are one outage, not an alarm for each.']}
          width={width}
          height={height}
        />
      )}
    />
  );
}
