// Segments of a query in an order: those that cannot have a match are skipped by as little reading as tells so.
import { type Dialect, statement } from '@quarterdeck/core/db';
import { cached, Where } from '@quarterdeck/core/sql';
import { readPart } from '../segments/damage.ts';
import { isInPieces, openFilter } from '../segments/filter-pieces.ts';
import { hasGroup } from '../segments/segment-reader.ts';
import { filterColumns, readFilter } from '../tables/segment-filters.ts';
import { firstIdFrom } from '../tables/segment-spans.ts';
import { askFilters } from './ask-filters.ts';
import type { Limit } from './budget.ts';
import { Decisions } from './decisions.ts';
import { LineSources, statesOf } from './line-sources.ts';
import { hasNeeded } from './needed-hashes.ts';
import { OpenSegment, type SegmentHead, type SegmentOptions } from './open-segment.ts';
import { firstRank, isBefore, isByTime, isReverse, type Rank } from './order.ts';

const headOf = (dialect: Dialect) => `id, last_id, n, from_time, to_time, bytes, ${filterColumns(dialect)}`;
const GROUPS = statement('SELECT "groups" FROM errlog_segment WHERE id = ?');

/** Segments whose filters are asked together, at least and at most. */
const ASKED_MIN = 8;
const ASKED_MAX = 128;

/** One query over the segments in one snapshot. */
export interface ScanOptions extends SegmentOptions {
  readonly budget: Limit;
  readonly dialect: Dialect;
}

interface Waiting {
  readonly first: Rank;
  readonly head: SegmentHead;
}

/** Segments in the order of the earliest line that each may have. */
export class SegmentScan {
  readonly options: ScanOptions;
  readonly sources: LineSources;
  /** The last one is next. */
  #waiting: Waiting[] = [];
  #hasOpened = false;
  /** Answers of the filters that were asked, by id of the segment: undefined if one cannot be read by pieces. */
  readonly #asked = new Map<number, boolean | undefined>();
  /** Segments that are asked together the next time. */
  #askedNext = ASKED_MIN;
  /** Number of the lines of all segments that were looked at. */
  scanned = 0;
  /** The budget ended before the segments did. */
  stopped = false;

  private constructor(options: ScanOptions) {
    this.options = options;
    this.sources = new LineSources(options.sql);
  }

  static async start(options: ScanOptions): Promise<SegmentScan> {
    const scan = new SegmentScan(options);
    const heads = await readHeads(options);
    const waiting = heads.map((head) => ({ head, first: scan.#firstOfHead(head) }));
    scan.#waiting = waiting.sort((a, b) => (isBefore(a.first, b.first) ? 1 : -1));
    return scan;
  }

  /** The earliest rank of the lines that were not looked at; undefined where none are left. */
  get frontier(): Rank | undefined {
    return this.#waiting.at(-1)?.first;
  }

  /** Opens the next segment that may have a match; undefined after the last one, or when the budget is over. */
  async next(): Promise<OpenSegment | undefined> {
    for (;;) {
      // The first one is opened in any case: a search that is continued must come further.
      if (this.#hasOpened && this.options.budget.isOver) this.stopped = true;
      this.#hasOpened = true;
      if (!this.stopped) await this.#askAhead();
      const entry = this.stopped ? undefined : this.#waiting.pop();
      if (entry === undefined) return undefined;
      const open = await this.#open(entry.head);
      if (open === undefined) {
        this.scanned += entry.head.n;
        continue;
      }
      const first = this.firstOf(open);
      if (this.frontier !== undefined && isBefore(this.frontier, first)) {
        // Opened again later: many that wait open would take much memory.
        this.#insert({ head: entry.head, first });
        continue;
      }
      this.scanned += entry.head.n;
      return open;
    }
  }

  /** Puts a segment back of which lines from a rank on were not looked at. */
  putBack({ head }: OpenSegment, first: Rank): void {
    this.scanned -= head.n;
    this.#insert({ head, first });
  }

  #insert(entry: Waiting): void {
    const at = this.#waiting.findLastIndex(({ first }) => !isBefore(first, entry.first));
    this.#waiting.splice(at + 1, 0, entry);
  }

  /** The earliest rank of the lines of a segment that may match. */
  firstOf({ head, span }: OpenSegment): Rank {
    const { order } = this.options;
    return isByTime(order)
      ? firstRank(order, { ...span, firstId: head.id, lastId: head.last_id })
      : this.#firstOfHead(head);
  }

  #firstOfHead({ id: firstId, last_id: lastId, from_time: from, to_time: to }: SegmentHead): Rank {
    return firstRank(this.options.order, { from, to, firstId, lastId });
  }

  /**
   * Asks the filters of the next segments together, where that of the first one was not asked. The more of them were
   * excluded the last time, the more are asked: the first few segments may fill the page of a common text.
   */
  async #askAhead(): Promise<void> {
    const { sql, budget, dialect, plan } = this.options;
    if (plan.needed === undefined) return;
    const canAsk = ({ head: { id, filter_bytes: size, has_parts } }: Waiting) =>
      has_parts === 1 && isInPieces(size) && !this.#asked.has(id);
    const next = this.#waiting.at(-1);
    if (next === undefined || !canAsk(next)) return;
    const heads: SegmentHead[] = [];
    for (let i = this.#waiting.length - 1; i >= 0 && heads.length < this.#askedNext; i -= 1) {
      const entry = this.#waiting[i] as Waiting;
      if (canAsk(entry)) heads.push(entry.head);
    }
    const answers = await askFilters({ sql, dialect, budget, needed: plan.needed }, heads);
    for (const { id } of heads) this.#asked.set(id, answers.get(id));
    const excluded = heads.filter(({ id }) => answers.get(id) === false).length;
    this.#askedNext = Math.min(ASKED_MAX, Math.max(ASKED_MIN, excluded * 4));
  }

  /** Opens a segment unless its filter or its groups tell that it has no match. */
  async #open(head: SegmentHead): Promise<OpenSegment | undefined> {
    const { sql, plan } = this.options;
    if (!(await this.#mayHave(head))) return undefined;
    const row = await sql.get<{ groups: Uint8Array }>(GROUPS, head.id);
    if (row === undefined) return undefined;
    const open = new OpenSegment(head, row.groups, this.options, this.sources);
    try {
      const onlyGroup = plan.groups?.length === 1 ? plan.groups[0] : undefined;
      if (onlyGroup !== undefined && !hasGroup({ id: head.id, groups: row.groups }, onlyGroup, plan.moved))
        return undefined;
      await this.#decide(open);
    } catch (error) {
      open.noteDamage(error);
      return undefined;
    }
    return open.decisions.areAll(false) ? undefined : open;
  }

  async #decide(open: OpenSegment): Promise<void> {
    const { sql, plan } = this.options;
    if (plan.decided !== undefined) {
      // Damaged groups are noted here, as below.
      void open.reader.groupList;
      open.decisions = new Decisions(plan.decided.matches);
      return;
    }
    const { groups } = open;
    if (plan.needsSources) await this.sources.load(groups.map(({ src }) => src));
    const ids = groups.map(({ id }) => id);
    const states = plan.needsStates ? await statesOf(sql, ids) : undefined;
    open.states = states;
    open.decisions = new Decisions(
      groups.map((group) => plan.decideGroup(group, open.sourceOf(group), states?.get(group.id))),
    );
  }

  /** Tells whether a segment may have a match, by its filter. One without a readable filter may. */
  async #mayHave({ id, filter_bytes: size, from_time: from, to_time: to }: SegmentHead): Promise<boolean> {
    const { sql, plan } = this.options;
    const { needed } = plan;
    const asked = this.#asked.get(id);
    if (asked !== undefined || needed === undefined || size === 0) return asked ?? true;
    const filter = await readFilter(sql, id);
    if (filter === undefined) return true;
    try {
      return readPart(id, 'filter', () => hasNeeded(needed, openFilter(filter)) !== false);
    } catch (error) {
      this.options.damage.note(error, { from, to });
      return true;
    }
  }
}

async function readHeads({ sql, dialect, plan, order, bound, arrived }: ScanOptions): Promise<SegmentHead[]> {
  const finite = (time: number) => (Number.isFinite(time) ? Math.trunc(time) : undefined);
  const [newest, oldest] = isReverse(order) ? [bound?.time, undefined] : [undefined, bound?.time];
  const from = finite(plan.from);
  const where = new Where()
    .andIf('id >= ?', from === undefined ? undefined : await firstIdFrom(sql, from))
    .andIf('to_time >= ?', from)
    .andIf('from_time <= ?', finite(plan.to))
    .andIf('from_time <= ?', newest)
    .andIf('to_time >= ?', oldest)
    .andIf(isReverse(order) ? 'id < ?' : 'last_id > ?', arrived);
  return sql.all<SegmentHead>(cached(`SELECT ${headOf(dialect)} FROM errlog_segment${where.text}`), ...where.values);
}
