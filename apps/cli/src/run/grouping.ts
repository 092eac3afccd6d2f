// Corrects the grouping of errors. Each command shows the effect before it asks.
import type { Invocation } from '../command/command.ts';
import { usage } from '../process/command-error.ts';
import { counted, readIds } from './change.ts';
import { changePreviewed } from './previewed-change.ts';

/** Result of a merge or a split. */
interface Regrouped {
  readonly matched: number;
  readonly group: number;
}

/** Merges groups into the first one. */
export async function runMerge(invocation: Invocation): Promise<undefined> {
  const ids = await readIds(invocation.program.io, invocation.args);
  if (ids.length < 2) throw usage('Give at least two groups.');
  return changePreviewed<Regrouped>(
    invocation,
    'errlog.merge',
    { body: { ids } },
    ({ matched, group }) => `Merge ${counted(matched, 'error group')}, on all sources, into group ${group}?`,
  );
}

/** Splits lines off a group. */
export async function runSplit(invocation: Invocation): Promise<undefined> {
  const [id, ...lines] = await readIds(invocation.program.io, invocation.args);
  if (id === undefined || lines.length === 0) throw usage('Give the id of a group and ids of its lines.');
  return changePreviewed<Regrouped>(
    invocation,
    'errlog.split',
    { params: { id }, body: { lines: lines.map(String) } },
    ({ matched, group }) => `Split ${counted(matched, 'occurrence')} off group ${group}?`,
  );
}

/** Makes a rule, or deletes it. */
export async function runRule(invocation: Invocation): Promise<undefined> {
  const [action = '', text = ''] = invocation.args;
  if (text === '') throw usage('Give an action and the text of a rule.');
  if (action === 'delete')
    return changePreviewed<Regrouped>(
      invocation,
      'errlog.removeRule',
      { body: { text } },
      () => `Delete the rule ${text}?`,
    );
  if (action !== 'group' && action !== 'ignore')
    throw usage(`Unknown action: ${action}. There are group, ignore and delete.`);
  const verb = action === 'group' ? 'Group' : 'Ignore';
  return changePreviewed<Regrouped>(
    invocation,
    'errlog.addRule',
    { body: { text, action } },
    ({ matched }) => `${verb} later lines like ${counted(matched, 'occurrence')} of the last day?`,
  );
}
