// The file config.toml, which the dashboard and the command line change.
import { parse, stringify } from 'smol-toml';
import { configPath, type Folders, putAside, readText, writeAtomically } from './files.ts';
import { editToml, type Table } from './toml-edit.ts';

/** Result of a change: `rewritten` lost the comments, and the file with them is kept as config.toml.old. */
export type Written = 'written' | 'rewritten' | 'failed';

/** Reads the settings; an empty table without a file, undefined for a damaged one. */
export function readConfigTable(folders: Folders): Table | undefined {
  const text = readText(configPath(folders));
  return text === null ? {} : parsed(text);
}

function parsed(text: string): Table | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Changes the settings in the file as it is now. Puts a damaged file aside first. */
export function changeConfig(folders: Folders, change: (table: Table) => Table): Written {
  const path = configPath(folders);
  const text = readText(path);
  const table = text === null ? {} : parsed(text);
  if (table === undefined) putAside(path);
  const next = change(table ?? {});
  const edited = text === null || table === undefined ? null : editToml(text, table, next);
  const isLossy = text !== null && table !== undefined && edited === null;
  if (isLossy && !writeAtomically(`${path}.old`, text)) return 'failed';
  if (!writeAtomically(path, edited ?? `${stringify(next).trimEnd()}\n`)) return 'failed';
  return isLossy ? 'rewritten' : 'written';
}
