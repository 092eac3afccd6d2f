// Filters the error log for a user who comes from another screen or from the command line.
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { argumentsProblem } from '../../commands/arguments.ts';
import type { List } from '../../components/list/use-list.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { failureOf } from '../../data/failure.ts';
import { findSourcesByName } from '../../data/sources.ts';
import { clean } from '../../text/clean.ts';
import { useArrival } from '../list/use-arrival.ts';
import { chooseSource } from './choose-source.ts';
import { ERRLOG_ARGUMENTS, filterFor } from './errlog-commands.ts';
import type { ErrlogModel } from './use-errlog.ts';

/** Applies the arguments of a visit; a source is given by its name and found on the server. */
export function useErrlogArrival(model: ErrlogModel, list: List<ErrlogEntry>): void {
  const { client, open, say, fail } = useDashboard();
  useArrival('errlog', (target, signal) => {
    const { args = {}, text = '' } = target;
    const problem = argumentsProblem(args, ERRLOG_ARGUMENTS);
    if (problem !== null) return say({ tone: 'warning', text: problem });
    const show = (source?: number): void => {
      model.filter(filterFor(target, source));
      list.act({ type: 'filter', text });
    };
    const { source } = args;
    if (source === undefined) return show();
    findSourcesByName(client, source, signal)
      .then((sources) => {
        if (signal.aborted) return;
        if (sources.length > 0) chooseSource(sources, open, show);
        else say({ tone: 'warning', text: `No source is named ${clean(source)}.` });
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        fail(error);
        say({ tone: 'bad', text: failureOf(error).message });
      });
  });
}
