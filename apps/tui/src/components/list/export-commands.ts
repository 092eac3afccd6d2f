// The command that writes the rows of a list to a file.

import { clean, grouped } from '@quarterdeck/views/text';
import { checkPath, exportRows, FileExists, fullPath } from './export.ts';
import type { ListContext, ListExtras } from './list-context.ts';
import type { List, ListCommands } from './use-list.ts';

/** Reads all rows that the filter passes, in the order of the list, also those that are not loaded. */
export async function readRows<T extends { readonly id: number }>(
  list: Pick<List<T>, 'arrange' | 'readAll'>,
  { all }: ListExtras,
  progress: (read: number) => void,
): Promise<readonly T[]> {
  return all === undefined ? list.arrange(await list.readAll(progress)) : ((await all(progress)) as readonly T[]);
}

/** Returns the command. `:export PATH` writes at once; without a path it asks for one. */
export function exportCommands<T extends { readonly id: number }>(
  list: List<T>,
  { open, say }: ListContext,
  extras: ListExtras,
): ListCommands {
  const { columns, extent } = list;
  const fail = (error: unknown): void =>
    say({ tone: 'bad', text: error instanceof Error ? clean(error.message) : 'Export failed.' });
  const progress = (read: number): void =>
    say({ tone: 'notice', text: `Reading the rows: ${grouped(read)} of ${grouped(extent.length)}…` });
  const write = async (path: string, overwrites: boolean): Promise<string> => {
    if (extras.writeFile !== undefined) {
      say({ tone: 'notice', text: 'Writing the file…' });
      return clean(await extras.writeFile(path, overwrites));
    }
    return clean(await exportRows(path, columns, await readRows(list, extras, progress), overwrites));
  };
  const start = (typed: string): void => {
    const path = fullPath(typed);
    try {
      checkPath(path);
    } catch (error) {
      if (!(error instanceof FileExists)) {
        fail(error);
        return;
      }
      open({
        kind: 'confirm',
        title: 'Replace the file?',
        lines: [`${clean(path)} exists. Its content is replaced by the rows of the list.`],
        yes: 'Replace',
        run: () => write(path, true),
      });
      return;
    }
    write(path, false)
      .then((text) => say({ tone: 'good', text }))
      .catch(fail);
  };
  return {
    exportRows(_, path) {
      if (extent.length === 0) {
        say({ tone: 'notice', text: 'The list is empty; nothing was written.' });
        return;
      }
      if (path !== undefined) {
        start(path);
        return;
      }
      open({
        kind: 'prompt',
        label: 'file: ',
        initial: '',
        history: [],
        note: () => (extras.writeFile === undefined ? '.csv  .json  .ndjson' : '.csv  .ndjson'),
        onSubmit(typed) {
          if (typed.trim() !== '') start(typed);
        },
      });
    },
  };
}
