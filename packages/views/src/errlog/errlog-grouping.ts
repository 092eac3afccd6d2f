// The dialogs that correct the grouping of errors. The server says first what would change.
import type { Client, ErrlogEntry, Line } from '@quarterdeck/sdk';
import type { ConfirmDialog } from '../questions/question.ts';
import { clean } from '../text/clean.ts';
import { plural } from '../text/format.ts';
import { shorten } from '../text/shorten.ts';
import type { ErrlogUpdates } from './errlog-questions.ts';

/** Longest excerpt of a message in a question, columns. */
const EXCERPT = 66;

const excerpt = (log: string): string => shorten(clean(log.slice(0, 200)), EXCERPT);

/** A line of a group, by which a merge is undone; undefined where none is stored. */
async function lineOf(client: Client, group: number): Promise<string | undefined> {
  const { data } = await client.line.list({ query: { filter: `group:${group}`, limit: 1 } });
  return data[0]?.id;
}

/** Asks before groups are merged into the first one. */
export async function mergeDialog(
  entries: readonly ErrlogEntry[],
  { client, recordUndo, onChanged }: Pick<ErrlogUpdates, 'client' | 'recordUndo' | 'onChanged'>,
): Promise<ConfirmDialog> {
  const ids = entries.map(({ id }) => id);
  const { matched, group } = await client.errlog.merge({ body: { ids, dry_run: true } });
  const merge = async (): Promise<string> => {
    const lines = await Promise.all(ids.filter((id) => id !== group).map((id) => lineOf(client, id)));
    await client.errlog.merge({ body: { ids } });
    onChanged();
    const back = async (): Promise<void> => {
      for (const line of lines) {
        if (line !== undefined) await client.errlog.split({ params: { id: group }, body: { lines: [line] } });
      }
      onChanged();
    };
    return recordUndo(`Merged ${plural(entries.length, 'error')} into group ${group}.`, back);
  };
  return {
    kind: 'confirm',
    title: `Merge ${plural(entries.length, 'error')} into group ${group}?`,
    lines: [
      ...entries.map(({ log }) => excerpt(log)),
      `${plural(matched, 'group')} on all sources; later lines follow.`,
    ],
    yes: 'Merge them',
    run: merge,
  };
}

/** Asks before lines, and all that are like them, are split off their group. */
export async function splitDialog(
  lines: readonly Pick<Line, 'id' | 'log' | 'group'>[],
  { client, recordUndo, onChanged }: Pick<ErrlogUpdates, 'client' | 'recordUndo' | 'onChanged'>,
): Promise<ConfirmDialog> {
  const id = lines[0]?.group ?? 0;
  const ids = lines.map((line) => line.id);
  const { matched, expression } = await client.errlog.split({ params: { id }, body: { lines: ids, dry_run: true } });
  const split = async (): Promise<string> => {
    const { new_group: newGroup, group } = await client.errlog.split({ params: { id }, body: { lines: ids } });
    onChanged();
    const back = async (): Promise<void> => {
      if (newGroup !== undefined) await client.errlog.merge({ body: { ids: [group, newGroup] } });
      onChanged();
    };
    return recordUndo(`Split ${plural(matched, 'occurrence')} off group ${group}.`, back);
  };
  return {
    kind: 'confirm',
    title: `Split ${plural(matched, 'occurrence')} off group ${id}?`,
    lines: [
      ...lines.slice(0, 3).map(({ log }) => excerpt(log)),
      expression === undefined
        ? 'They go back to the group that they were merged from.'
        : `They become a group of lines that match ${excerpt(expression)}`,
    ],
    yes: 'Split them off',
    run: split,
  };
}
