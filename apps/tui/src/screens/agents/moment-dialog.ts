import { parseMoment } from '@quarterdeck/views/times';
import type { Dashboard } from '../../context/dashboard.ts';
import type { FormDialog, Outcome } from '../../context/dialog.ts';

/** Longest typed time. */
const TIME_MAX = 40;

/** Asks for a time, and runs an action with it in Unix seconds. */
export function momentDialog(
  { title, submit }: { readonly title: string; readonly submit: string },
  { now, zone }: Pick<Dashboard, 'now' | 'zone'>,
  run: (moment: number) => Promise<Outcome>,
): FormDialog {
  const read = (text: string) => parseMoment(text, { nowMs: now(), zone });
  return {
    kind: 'form',
    title,
    submit,
    initial: { time: '' },
    fields: () => [{ kind: 'text', name: 'time', label: 'Time', max: TIME_MAX, hint: '2h, 10:35, 2026-11-22 10:35' }],
    check({ time = '' }) {
      const moment = read(time);
      return 'problem' in moment ? { field: 'time', text: moment.problem } : null;
    },
    async run({ time = '' }) {
      const moment = read(time);
      return 'problem' in moment ? moment.problem : run(moment.value);
    },
  };
}
