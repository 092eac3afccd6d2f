// The screen of the outages: times at which many agents went silent together.
import { outageMessage } from '@quarterdeck/views/agents';
import { useOutages } from '@quarterdeck/views/react';
import { listScreen } from '../list/list-screen.tsx';
import { outageColumns, outageDetail } from './outages-view.ts';

export const OutagesScreen = listScreen({
  place: 'outages',
  useSource: useOutages,
  clockMs: 1000,
  columns: outageColumns,
  detail: (outage, { nowMs }) => outageDetail(outage, nowMs),
  standing({ source: { rows }, nowMs }) {
    const present = rows.find(({ ended }) => ended === null);
    return outageMessage(present, nowMs);
  },
  commands: (_, { go }) => ({ away: () => go({ screen: 'agents', args: { state: 'away' } }) }),
  empty: () => ({
    reading: 'Reading the outages…',
    title: 'No outages.',
    lines: ['Many agents that go silent together are one outage, not an alarm for each.'],
  }),
});
