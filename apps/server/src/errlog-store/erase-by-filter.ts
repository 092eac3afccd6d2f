// Erases the lines of a filter.
import type { Filter } from '@quarterdeck/core';
import { type Database, statement } from '@quarterdeck/core/db';
import { compileFilter, type FilterableLine, fieldOfLine, termsOf } from '@quarterdeck/core/filter';
import { planQuery } from './lines/line-plan.ts';
import { type EraseReport, eraseLines } from './packing/erase.ts';
import type { Packer } from './packing/packer.ts';
import { GramFilter } from './segments/gram-filter.ts';
import type { SegmentGroup, SegmentLine } from './segments/segment.ts';
import { allFields } from './tables/occurrence-fields.ts';
import { SHOWN_NAME } from './tables/sources.ts';

const SOURCES = statement(`SELECT s.id, ${SHOWN_NAME} AS name FROM source s`);

/** Erases the lines that match a filter, which must not name states; only counts them in a dry run. */
export async function eraseByFilter(
  db: Database,
  packer: Packer,
  filter: Filter,
  { dryRun, nowS }: { readonly dryRun: boolean; readonly nowS: number },
): Promise<EraseReport> {
  const sources = await db.read.sql.all<{ id: number; name: string }>(SOURCES);
  const names = new Map(sources.map(({ id, name }) => [id, name]));
  const needsName = termsOf(filter).some((term) => term.kind === 'field' && isOfSource(term.field));
  const test = compileFilter(filter, nowS);
  const { from, to, mayHave } = planQuery({ filter }, nowS);
  return eraseLines(
    db,
    packer,
    {
      // A source that was added meanwhile has no known name, so its lines do not match by name.
      matches: (line, group) => (!needsName || names.has(group.src)) && test(lineOf(line, group, names.get(group.src))),
      mayHold: (segment) =>
        segment.to_time >= from &&
        segment.from_time <= to &&
        (mayHave === undefined || segment.filter.length === 0 || mayHave(new GramFilter(segment.filter))),
    },
    dryRun,
  );
}

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
