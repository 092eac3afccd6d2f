// Export of all groups of a filter: NDJSON for programs, CSV for spreadsheets.
import type { ErrlogEntry, ErrlogFilter } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { errlogStore } from '../../errlog-store/errlog-store.ts';
import { csvRow } from '../csv.ts';

/** Formats of an export. */
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const COLUMNS = [
  ...(['id', 'level', 'count', 'src', 'source', 'node_type', 'node_id', 'app_id', 'state', 'until', 'note'] as const),
  ...(['first_seen', 'log_time', 'fingerprint', 'log'] as const),
];

/**
 * Yields the groups of a filter with an id below `beforeId` as pieces of text. They come by falling id, so that no
 * group is missed or repeated.
 */
export async function* exportErrlog(
  db: Database,
  filter: ErrlogFilter,
  format: ExportFormat,
  beforeId?: number,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvRow(COLUMNS);
  for await (const run of errlogStore(db).allGroups(filter, beforeId)) {
    yield run.map(format === 'csv' ? toCsv : toJson).join('');
  }
}

const toCsv = (group: ErrlogEntry) => csvRow(COLUMNS.map((column) => group[column]));
const toJson = (group: ErrlogEntry) => `${JSON.stringify(group)}\n`;
