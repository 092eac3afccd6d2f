// Filters the error log for a user who comes from another screen or from the command line.
import { LINE_FIELDS } from '@quarterdeck/core/filter';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { reportFailure } from '@quarterdeck/views/actions';
import { findSourcesByName } from '@quarterdeck/views/agents';
import { ERRLOG_ARGUMENTS, errlogFilterFor, NO_FILTER } from '@quarterdeck/views/errlog';
import { argumentsProblem, filterProblem, withChange } from '@quarterdeck/views/filters';
import { clean } from '@quarterdeck/views/text';
import type { List } from '../../components/list/use-list.ts';
import { useDashboard } from '../../context/dashboard.ts';
import { useArrival, useSelectById } from '../list/use-arrival.ts';
import { chooseSource } from '../shared/choose-source.ts';
import type { ErrlogModel } from './use-errlog.ts';

/** Applies the arguments of a visit; a source is given by its name and found on the server. */
export function useErrlogArrival(model: ErrlogModel, list: List<ErrlogEntry>): void {
  const { client, open, say, fail, setRange } = useDashboard();
  const select = useSelectById(list);
  useArrival('errlog', (target, signal) => {
    const { args = {}, text = '' } = target;
    const problem = argumentsProblem(args, ERRLOG_ARGUMENTS) ?? filterProblem(text, LINE_FIELDS)?.text ?? null;
    if (problem !== null) return say({ tone: 'warning', text: problem });
    const show = (source?: number): void => {
      model.filter(errlogFilterFor(target, source));
      list.act({ type: 'filter', text });
      if (args['group'] !== undefined) list.act({ type: 'detail', detail: 'open' });
    };
    const report = (error: unknown): void => {
      if (!signal.aborted) reportFailure({ say, fail })(error);
    };
    const { source, id } = args;
    if (id !== undefined) {
      client.errlog
        .get({ params: { id: Number(id) } }, { signal })
        .then(({ src, fingerprint, log }) => {
          if (signal.aborted) return;
          model.filter(
            withChange(NO_FILTER, fingerprint === undefined ? { src, q: log.slice(0, 100) } : { src, fingerprint }),
          );
          // The entry may lie outside of the range.
          setRange(null);
          list.act({ type: 'filter', text: '' });
          select(Number(id));
        })
        .catch(report);
      return;
    }
    if (source === undefined) return show();
    findSourcesByName(client, source, signal)
      .then((sources) => {
        if (signal.aborted) return;
        if (sources.length > 0) chooseSource(sources, open, show);
        else say({ tone: 'warning', text: `No source is named ${clean(source)}.` });
      })
      .catch(report);
  });
}
