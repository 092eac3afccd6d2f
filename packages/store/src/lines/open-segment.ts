// A segment that is searched: its candidates, and whether they match.
import { type Sql, type Statement, statement } from '@quarterdeck/core/db';
import type { FilterableLine } from '@quarterdeck/core/filter';
import { readPart } from '../segments/damage.ts';
import type { DamagedSpan, DamageLog } from '../segments/damage-log.ts';
import type { GroupSummary, SegmentHead as SegmentNumbers, SegmentRow } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { LineSearch, type TextBlock } from '../segments/text-block.ts';
import { allFields } from '../tables/occurrence-fields.ts';
import { Decisions } from './decisions.ts';
import type { Atoms, LinePlan, LineSource } from './line-plan.ts';
import type { Line } from './line-reads.ts';
import type { LineSources } from './line-sources.ts';
import { isByTime, isReverse, type LinePlace, type Rank, rankOf } from './order.ts';

const NUMBERS = statement('SELECT numbers FROM errlog_segment WHERE id = ?');
const TEXTS = statement('SELECT texts FROM errlog_segment WHERE id = ?');
const NUMBERS_AND_TEXTS = statement('SELECT numbers, texts FROM errlog_segment WHERE id = ?');

/** Greater than any place in a segment. */
const PLACES = 2 ** 16;
const NOTHING = new Uint8Array(0);
const NO_PLACES = new Uint32Array(0);
/** Mark of a line that may have the text of a query. */
const LIKELY = 1;

/** A segment without its parts. */
export interface SegmentHead extends SegmentNumbers {
  /** 0 in a segment that waits to be packed. */
  readonly filter_bytes: number;
  /** 1 where a part of the filter is read without the rest, otherwise 0. */
  readonly has_parts: number;
}

/** One query over the segments in one snapshot. */
export interface SegmentOptions extends LinePlace {
  readonly sql: Sql;
  readonly plan: LinePlan;
  /** Takes damaged parts. Their lines are left out. */
  readonly damage: DamageLog;
}

/** A segment of which parts are read as they are needed. */
export class OpenSegment {
  readonly head: SegmentHead;
  readonly reader: SegmentReader;
  decisions = new Decisions(undefined);
  #marks: Uint8Array | undefined;
  #groups: readonly GroupSummary[] | undefined;
  readonly #row: { numbers: Uint8Array; texts: Uint8Array };
  readonly #options: SegmentOptions;
  readonly #view: LineView;
  readonly #damaged = new Set<TextBlock>();
  readonly #sources: LineSources;

  constructor(head: SegmentHead, groups: Uint8Array, options: SegmentOptions, sources: LineSources) {
    const row = { ...head, groups, filter: NOTHING, numbers: NOTHING, texts: NOTHING };
    this.head = head;
    this.#row = row;
    this.reader = new SegmentReader(row, (damaged) => this.noteDamage(damaged));
    this.#options = options;
    this.#view = new LineView(this, sources);
    this.#sources = sources;
  }

  /** Its groups as they are now: those that were merged have one id. */
  get groups(): readonly GroupSummary[] {
    const { moved } = this.#options.plan;
    if (moved.size === 0) return this.reader.groups;
    this.#groups ??= this.reader.groups.map((group) => ({ ...group, id: moved.get(group.id) ?? group.id }));
    return this.#groups;
  }

  #group(i: number): GroupSummary {
    return this.#options.plan.moved.size === 0 ? this.reader.groupList.at(i) : (this.groups[i] as GroupSummary);
  }

  /** The source of a group, with the name that it had at all lines of the segment. */
  sourceOf({ src }: GroupSummary): LineSource | undefined {
    return this.#sources.between(src, this.head.id, this.head.last_id);
  }

  /** Times of the groups that may match, Unix seconds. */
  get span(): { readonly from: number; readonly to: number } {
    if (!this.decisions.differ) return { from: this.head.from_time, to: this.head.to_time };
    let [from, to] = [Infinity, -Infinity];
    const { groups } = this;
    for (let i = 0; i < groups.length; i += 1) {
      if (this.decisions.of(i) === false) continue;
      const group = groups[i] as GroupSummary;
      from = Math.min(from, group.from);
      to = Math.max(to, group.to);
    }
    return { from, to };
  }

  /** States by group, for conditions about them. */
  set states(states: ReadonlyMap<number, string> | undefined) {
    this.#view.states = states;
  }

  /** Notes a damaged part. @throws every other error again */
  noteDamage(error: unknown, span: DamagedSpan = { from: this.head.from_time, to: this.head.to_time }): void {
    this.#options.damage.note(error, span);
  }

  async loadNumbers(): Promise<void> {
    if (this.#row.numbers.length === 0) await this.#load(NUMBERS);
  }

  async loadTexts(): Promise<void> {
    if (this.#row.texts.length === 0) await this.#load(TEXTS);
  }

  async #load(parts: Statement): Promise<void> {
    const row = await this.#options.sql.get<Partial<Pick<SegmentRow, 'numbers' | 'texts'>>>(parts, this.head.id);
    if (row === undefined) throw new Error('a segment vanished from a snapshot');
    Object.assign(this.#row, row);
  }

  /**
   * Places of the lines that may match, without the groups that `isDone` names. `as stored` reads neighbouring texts
   * one after the other: in another order each would be fetched from the memory anew.
   */
  async candidates(
    sorting: 'in order' | 'as stored' = 'in order',
    isDone?: (group: GroupSummary) => boolean,
  ): Promise<Uint32Array> {
    const isWanted =
      isDone === undefined && !this.decisions.differ
        ? undefined
        : this.groups.map((group, i) => this.decisions.of(i) !== false && isDone?.(group) !== true);
    if (this.decisions.areAll(false) || isWanted?.includes(true) === false) return NO_PLACES;
    const { plan } = this.#options;
    const { numbers, texts } = this.#row;
    const needsTexts = plan.needsTexts && this.decisions.needLines;
    if (needsTexts && numbers.length + texts.length === 0) await this.#load(NUMBERS_AND_TEXTS);
    await this.loadNumbers();
    if (needsTexts) await this.loadTexts();
    try {
      this.#marks = plan.atoms === undefined ? undefined : this.#findAtoms(plan.atoms, isWanted);
      if (sorting === 'as stored') return this.#select(isWanted);
      return this.#sort(this.#select(isWanted, this.reader.numbers.arrival));
    } catch (error) {
      this.noteDamage(error);
      return NO_PLACES;
    }
  }

  /** Groups of which all lines match. */
  matchedGroups(): readonly GroupSummary[] {
    if (!this.decisions.differ) return this.decisions.areAll(true) ? this.groups : [];
    return this.groups.filter((_, i) => this.decisions.of(i) === true);
  }

  /** Tells whether a candidate matches. One whose text is damaged does not. */
  matches(place: number): boolean {
    const decision = this.decisions.of(this.reader.numbers.group[place] as number);
    if (decision !== undefined) return decision;
    return !this.#options.plan.needsTexts || this.#hasText(place)
      ? this.#options.plan.test(this.#view.at(place))
      : false;
  }

  /** The block of a line, which may be damaged: see {@link tryBlock}. Undefined where no block can be read. */
  blockAt(place: number): TextBlock | undefined {
    try {
      return this.reader.blockAt(place);
    } catch (error) {
      this.noteDamage(error);
      return undefined;
    }
  }

  /** Tells whether the text of a line can be read. */
  #hasText(place: number): boolean {
    const block = this.blockAt(place);
    return block !== undefined && this.tryBlock(block, () => block.open());
  }

  /** Reads a block. Returns false where it is damaged. */
  tryBlock(block: TextBlock, read: () => void): boolean {
    if (this.#damaged.has(block)) return false;
    try {
      readPart(this.head.id, 'texts', read);
      return true;
    } catch (error) {
      this.noteDamage(error, this.reader.spanOf(block));
      this.#damaged.add(block);
      return false;
    }
  }

  groupAt(place: number): GroupSummary {
    return this.#group(this.reader.numbers.group[place] as number);
  }

  rank(place: number): Rank {
    const { time, id } = this.reader.numbers;
    return rankOf(this.#options.order, time[place] as number, id[place] as number);
  }

  /** A line, without the names of its source; undefined where its text is damaged. Its texts must be loaded. */
  line(place: number): Omit<Line, 'source' | 'host'> | undefined {
    if (!this.#hasText(place)) return undefined;
    const { id, time, count } = this.reader.numbers;
    const { id: groupId, level, src, appId, service } = this.groupAt(place);
    const log = this.reader.log(place);
    return {
      id: String(id[place]),
      time: time[place] as number,
      level,
      log,
      fields: allFields(this.reader.fields(place), log),
      group: groupId,
      src,
      service,
      app_id: appId,
      req_id: this.reader.reqId(place),
      count: count[place] as number,
    };
  }

  /** Marks the places that have one of the atoms, and some that have not. */
  #findAtoms({ texts, values }: Atoms, isWanted: readonly boolean[] | undefined): Uint8Array {
    const { reader } = this;
    const marks = new Uint8Array(this.head.n);
    if (texts.length > 0) {
      const search = new LineSearch(texts);
      for (const block of reader.blocks) if (this.#hasWanted(block, isWanted)) this.#searchBlock(block, search, marks);
    }
    for (const { name, value } of values) {
      const sought = value.toLowerCase();
      const column = (name === 'req' ? reader.extras.requests(value) : reader.extras.values(name, value)) ?? [];
      for (const [place, stored] of column.entries()) {
        if (stored !== 0 && (stored === value || stored.toLowerCase() === sought)) marks[place] ||= LIKELY;
      }
    }
    return marks;
  }

  #hasWanted({ places }: TextBlock, isWanted: readonly boolean[] | undefined): boolean {
    if (isWanted === undefined) return true;
    const { group } = this.reader.numbers;
    return places.some((place) => isWanted[group[place] as number]);
  }

  #searchBlock(block: TextBlock, search: LineSearch, marks: Uint8Array): void {
    this.tryBlock(block, () => {
      block.search(search, (row) => {
        marks[block.places[row] as number] = LIKELY;
      });
    });
  }

  /** Reports whether a line is in front of the bounds of the scan. */
  #isAhead(time: number, id: number): boolean {
    const { order, bound, arrived } = this.#options;
    const sign = isReverse(order) ? -1 : 1;
    if (arrived !== undefined && sign * (id - arrived) <= 0) return true;
    return bound !== undefined && sign * (time - bound.time || id - bound.id) <= 0;
  }

  /** The wanted and marked places that the bounds of the scan allow, by arrival or as stored. */
  #select(isWanted: readonly boolean[] | undefined, arrival?: Uint32Array): Uint32Array {
    const { plan } = this.#options;
    const { group, time, id } = this.reader.numbers;
    const marks = this.#marks;
    let n = 0;
    const places = new Uint32Array(group.length);
    for (let i = 0; i < group.length; i += 1) {
      const place = arrival === undefined ? i : (arrival[i] as number);
      if (marks?.[place] === 0 || isWanted?.[group[place] as number] === false) continue;
      const at = time[place] as number;
      if (at < plan.from || at > plan.to || this.#isAhead(at, id[place] as number)) continue;
      places[n] = place;
      n += 1;
    }
    return places.subarray(0, n);
  }

  /** Sorts places that are in the order of arrival. */
  #sort(arrived: Uint32Array): Uint32Array {
    let places = arrived;
    const { order } = this.#options;
    const { time } = this.reader.numbers;
    if (isByTime(order)) {
      const keys = Float64Array.from(arrived, (place, i) => (time[place] as number) * PLACES + i);
      const isSorted = keys.every((key, i) => i === 0 || (keys[i - 1] as number) < key);
      if (!isSorted) places = Uint32Array.from(keys.sort(), (key) => arrived[key % PLACES] as number);
    }
    return isReverse(order) ? places.reverse() : places;
  }
}

/** One line after the other as filters read it. Texts and fields are read when a filter asks for them. */
class LineView implements FilterableLine {
  readonly #open: Pick<OpenSegment, 'reader' | 'groupAt'>;
  readonly #reader: SegmentReader;
  readonly #sources: LineSources;
  #place = 0;
  #group: GroupSummary | undefined;
  #log: string | undefined;
  #fields: Readonly<Record<string, string>> | undefined;
  states: ReadonlyMap<number, string> | undefined;

  constructor(open: Pick<OpenSegment, 'reader' | 'groupAt'>, sources: LineSources) {
    this.#open = open;
    this.#reader = open.reader;
    this.#sources = sources;
  }

  at(place: number): this {
    this.#place = place;
    this.#group = this.#open.groupAt(place);
    this.#log = undefined;
    this.#fields = undefined;
    return this;
  }

  get time(): number {
    return this.#reader.numbers.time[this.#place] as number;
  }

  get log(): string {
    this.#log ??= this.#reader.log(this.#place);
    return this.#log;
  }

  get level(): number {
    return this.#group?.level ?? 0;
  }

  get src(): number {
    return this.#group?.src ?? 0;
  }

  get host(): string {
    return this.#sources.get(this.src, this.#reader.numbers.id[this.#place])?.host ?? '';
  }

  get source(): string {
    return this.host;
  }

  get service(): string {
    return this.#group?.service ?? '';
  }

  get app_id(): number {
    return this.#group?.appId ?? 0;
  }

  get req_id(): string {
    return this.#reader.reqId(this.#place);
  }

  get group(): number {
    return this.#group?.id ?? 0;
  }

  get state(): string {
    return this.states?.get(this.group) ?? '';
  }

  readonly fields = (): Readonly<Record<string, string>> => {
    this.#fields ??= allFields(this.#reader.fields(this.#place), this.log);
    return this.#fields;
  };
}
