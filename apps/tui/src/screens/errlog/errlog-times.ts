// The commands of the error log that concern times: go to a time, and the chart's time as the range.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { aheadBy, isByTime, listErrlog } from '@quarterdeck/views/errlog';
import { failureOf } from '@quarterdeck/views/failures';
import { momentText } from '@quarterdeck/views/text';
import { rangeBounds, rangeOf } from '@quarterdeck/views/times';
import type { List } from '../../components/list/use-list.ts';
import type { Dashboard } from '../../context/dashboard.ts';
import type { Commands } from '../../keys/use-commands.ts';
import { goToTimeCommand } from '../list/go-to-time.ts';
import type { ErrlogModel } from './use-errlog.ts';
import type { ErrlogChart } from './use-errlog-chart.ts';

/** Goes to the newest row at a moment or before it: all groups that happened later are above it. */
async function goTo(model: ErrlogModel, list: List<ErrlogEntry>, dashboard: Dashboard, momentS: number): Promise<void> {
  const { client, range, now, say } = dashboard;
  const bounds = rangeBounds(range, Math.floor(now() / 1000));
  const query = { ...model.state.filter, ...bounds, start_time: momentS + 1 };
  const isAtEnd = momentS === bounds.end_time;
  const later = isAtEnd ? 0 : (await listErrlog(client, query, { start: 0, end: 1 })).meta.count;
  list.mover.to(Math.max(0, later - aheadBy(model.state)));
  if (model.state.total !== null && later >= model.state.total)
    say({ tone: 'notice', text: `No errors at ${momentText(momentS, now())} or before; this is the last one.` });
}

export function timeCommands(
  model: ErrlogModel,
  list: List<ErrlogEntry>,
  dashboard: Dashboard,
  chart: ErrlogChart,
): Pick<Partial<Commands<'errlog'>>, 'goToTime' | 'chartRange'> {
  const { setRange, say, fail } = dashboard;
  const warn = (text: string): void => say({ tone: 'warning', text });
  return {
    chartRange: () => setRange(rangeOf(chart.window)),
    goToTime: goToTimeCommand(dashboard, (momentS) => {
      if (!isByTime(model.state.filter)) return warn('The list is not in the order of time. Sort it by time first.');
      goTo(model, list, dashboard, momentS).catch((error: unknown) => {
        fail(error);
        warn(failureOf(error).message);
      });
    }),
  };
}
