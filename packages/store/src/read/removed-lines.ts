// Matches among groups whose last line may be removed: their newest text decides.
import { compileFilter, type FilterableLine, requiredTexts } from '@quarterdeck/core/filter';
import { cached, likePattern, likeText, Where } from '@quarterdeck/core/sql';
import { linesHeldFrom } from '../tables/held-lines.ts';
import { allFields } from '../tables/occurrence-fields.ts';
import { HOST } from '../tables/sources.ts';
import type { GroupReader } from './line-search.ts';
import { asQuery, inOrder, portionsOf } from './ordered-scan.ts';
import { type GroupRow, ROW_COLUMNS, type TextMatches, VERIFY_MAX } from './search-verify.ts';
import type { Selection } from './selection.ts';

const ofSource = (name: string) => `(SELECT ${name} FROM source s WHERE s.id = e.src)`;
const COLUMNS = `${ROW_COLUMNS}, e.level, e.src, e.app_id, coalesce(e.service, '') AS service, e.state, e.log,
  ${ofSource(HOST)} AS host, ${ofSource(HOST)} AS source`;

type TextRow = GroupRow &
  Pick<FilterableLine, 'level' | 'src' | 'app_id' | 'service' | 'log' | 'host' | 'source'> & { readonly state: string };

/**
 * Finds groups whose last line may be removed and whose newest text meets the condition on lines, the newest first.
 * Reads at most `max` matches and {@link VERIFY_MAX} groups; all if `max` is infinite.
 */
export async function findRemovedLines(
  { db, nowS }: GroupReader,
  { lines, groups }: Selection,
  max: number,
): Promise<TextMatches> {
  const { sql } = db.read;
  const heldFrom = await linesHeldFrom(sql);
  const { start_time: start = 0, end_time: end = Number.MAX_SAFE_INTEGER } = groups;
  if (lines === undefined || start >= heldFrom) return { rows: [], capped: false };
  const test = compileFilter(lines, nowS);
  const required = new Where();
  for (const texts of requiredTexts(lines)) {
    const any = texts.map(() => likeText(db.dialect, 'e.log')).join(' OR ');
    required.and(`(${any})`, ...texts.map(likePattern));
  }
  const ordered = await inOrder(db, { ...groups, end_time: Math.min(end, heldFrom - 1) }, '-log_time');
  const portions = portionsOf(sql, ordered, max === Number.POSITIVE_INFINITY ? max : VERIFY_MAX);
  const rows: GroupRow[] = [];
  for (;;) {
    const { done, value } = await portions.next();
    if (done === true) return { rows, capped: value };
    const { text, values } = asQuery(value, COLUMNS, required);
    for (const row of await sql.all<TextRow>(cached(text), ...values)) if (test(lineOf(row))) rows.push(row);
    if (rows.length > max) return { rows: rows.slice(0, max), capped: true };
  }
}

/** The newest text of a group as a line. Its request id is not known. */
const lineOf = ({ id, log_time, ...row }: TextRow): FilterableLine => ({
  ...row,
  group: id,
  time: log_time,
  req_id: '',
  fields: () => allFields(undefined, row.log),
});
