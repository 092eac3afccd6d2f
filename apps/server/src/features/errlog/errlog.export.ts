// Export of all groups of a filter: NDJSON for programs, CSV for spreadsheets.
import type { ErrlogEntry, ErrlogFilter } from '@quarterdeck/core';
import type { ErrlogLists } from '@quarterdeck/store';
import { csvRow } from '../csv.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const COLUMNS = [
  ...([
    'id',
    'level',
    'count',
    'src',
    'source',
    'host',
    'node_type',
    'node_id',
    'app_id',
    'service',
    'state',
    'until',
    'note',
  ] as const),
  ...(['first_seen', 'log_time', 'fingerprint', 'log'] as const),
];

/**
 * Yields the groups of a filter with an id below `beforeId` as pieces of text. They come by falling id, so that no
 * group is missed or repeated.
 *
 * @throws AppError `conflict`, before the first piece, if a search of lines did not see all of them
 */
export async function* exportErrlog(
  listsOfCaller: Promise<Pick<ErrlogLists, 'allGroups'>>,
  filter: ErrlogFilter,
  format: ExportFormat,
  beforeId?: number,
): AsyncGenerator<string> {
  const lists = await listsOfCaller;
  const runs = await lists.allGroups(filter, beforeId);
  if (format === 'csv') yield csvRow(COLUMNS);
  for await (const run of runs) {
    yield run.map(format === 'csv' ? toCsv : toJson).join('');
  }
}

const toCsv = (group: ErrlogEntry) => csvRow(COLUMNS.map((column) => group[column]));
const toJson = (group: ErrlogEntry) => `${JSON.stringify(group)}\n`;
