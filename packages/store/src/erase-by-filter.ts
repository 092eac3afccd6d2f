// Erases the lines of a filter.
import type { Filter } from '@quarterdeck/core';
import { type Database, statement } from '@quarterdeck/core/db';
import { compileFilter, type FilterableLine, fieldOfLine, termsOf } from '@quarterdeck/core/filter';
import { planQuery } from './lines/line-plan.ts';
import { LineSources } from './lines/line-sources.ts';
import { hasNeeded, type NeededHashes } from './lines/needed-hashes.ts';
import type { EraseReport } from './packing/erase.ts';
import type { Packer } from './packing/packer.ts';
import { readPartOr } from './segments/damage.ts';
import { openFilter } from './segments/filter-pieces.ts';
import type { SegmentGroup, SegmentLine } from './segments/segment.ts';
import { allFields } from './tables/occurrence-fields.ts';
import type { StoredSegment } from './tables/segment-rows.ts';

const SOURCES = statement('SELECT id FROM source');

/** A line, as a copy of it says. */
export interface CopiedLine {
  readonly group: number;
  readonly log: string;
  readonly level: number;
  readonly src: number;
  readonly appId: number;
  readonly service: string;
  /** Unix seconds. */
  readonly time: number;
}

/** Result of an erasure, with what finds the copies of the texts. */
export interface Erased extends EraseReport {
  /** Tells whether a copy of a line matches: the line itself may have been removed by retention. */
  matchesCopy(line: CopiedLine): boolean;
}

/**
 * Erases the lines that match a filter, which must not name states; only counts them in a dry run. Copies of their
 * texts stay.
 */
export async function eraseByFilter(
  db: Database,
  packer: Pick<Packer, 'erase'>,
  filter: Filter,
  { dryRun, nowS }: { readonly dryRun: boolean; readonly nowS: number },
): Promise<Erased> {
  const ids = await db.read.sql.all<{ id: number }>(SOURCES);
  const sources = new LineSources(db.read.sql);
  await sources.load(ids.map(({ id }) => id));
  // The newest text of a group is a line with the id 0.
  const nameOf = (src: number, line: number) => sources.get(src, line === 0 ? undefined : line)?.host;
  const needsName = termsOf(filter).some((term) => term.kind === 'field' && isOfSource(term.field));
  const test = compileFilter(filter, nowS);
  const { from, to, needed } = planQuery({ filter }, nowS);
  // A source that was added meanwhile has no known name, so its lines do not match by name.
  const matches = (line: SegmentLine, group: SegmentGroup) => {
    const name = nameOf(group.src, line.id);
    return (!needsName || name !== undefined) && test(lineOf(line, group, name));
  };
  const report = await packer.erase(
    {
      matches,
      mayHold: (segment) =>
        segment.to_time >= from && segment.from_time <= to && (needed === undefined || mayHave(segment, needed)),
    },
    dryRun,
  );
  return {
    ...report,
    matchesCopy: ({ group: id, log, time, ...rest }) =>
      matches({ id: 0, time, count: 1, reqId: '', log }, { id, ...rest }),
  };
}

/** Asks the filter of a segment. One without a filter, or with a damaged one, may have everything. */
const mayHave = ({ id, filter }: StoredSegment, needed: NeededHashes): boolean =>
  filter.length === 0 ||
  readPartOr(
    id,
    'filter',
    () => {},
    () => hasNeeded(needed, openFilter(filter)) !== false,
    true,
  );

const isOfSource = (field: string) => fieldOfLine(field) === undefined && (field === 'host' || field === 'source');

const lineOf = (line: SegmentLine, group: SegmentGroup, name = ''): FilterableLine => ({
  time: line.time,
  level: group.level,
  log: line.log,
  host: name,
  service: group.service,
  source: name,
  src: group.src,
  app_id: group.appId,
  req_id: line.reqId,
  group: group.id,
  fields: () => allFields(line.fields, line.log),
});
