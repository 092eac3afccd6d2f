// Groups lines by source and error in memory, before anything is written.
import type { Corrections } from '../tables/corrections.ts';
import type { Sender } from '../tables/sources.ts';
import type { GroupBatch, GroupedLines } from './batch.ts';
import { type LineColumns, linesOf, type SentLine, sizeOf } from './line-columns.ts';
import { NewLines } from './new-lines.ts';

/** A group whose text is read when it is asked for: texts of thousands of groups would wait for the end of a write. */
class Group implements GroupBatch {
  readonly src: number;
  readonly nodeType: number;
  readonly appId: number;
  readonly level: number;
  readonly fingerprint: string;
  readonly service: string;
  readonly sender: string;
  readonly isIgnored: boolean | undefined;
  readonly lines: number[];
  count: number;
  firstSeen: number;
  logTime: number;
  readonly #all: NewLines;
  /** Number of the line with its text. */
  #latest: number;

  constructor(batch: LineColumns, i: number, { src, number, print, corrections }: First, all: NewLines) {
    const sender = batch.senders[batch.senderOf[i] as number] as Sender;
    const time = batch.times[i] as number;
    this.src = src;
    this.nodeType = sender.nodeType;
    this.appId = batch.appIds[i] as number;
    this.level = batch.levels[i] as number;
    this.fingerprint = print;
    this.service = batch.services[batch.serviceOf[i] as number] as string;
    this.sender = sender.credential ?? sender.address;
    this.isIgnored = corrections?.isIgnored(print);
    this.lines = [number];
    this.count = batch.counts[i] as number;
    this.firstSeen = time;
    this.logTime = time;
    this.#all = all;
    this.#latest = number;
  }

  get log(): string {
    return this.#all.text(this.#latest);
  }

  /** Adds line `i` of batch `b`. */
  add(b: number, i: number, { times, counts }: LineColumns): void {
    const time = times[i] as number;
    this.count += counts[i] as number;
    const last = this.lines.at(-1) as number;
    const isRepeat = this.#all.addToEqual(last, b, i);
    const number = isRepeat ? last : this.#all.add(b, i);
    if (!isRepeat) this.lines.push(number);
    if (time < this.firstSeen) this.firstSeen = time;
    if (time < this.logTime) return;
    this.logTime = time;
    this.#latest = number;
  }
}

/**
 * Groups lines of equal errors of one source. `ids` has the source of each sender, `corrections` the errors of lines
 * that people have corrected.
 */
export function groupLines(
  batches: readonly LineColumns[],
  ids: ReadonlyMap<Sender, number>,
  corrections: Corrections | undefined,
): GroupedLines {
  const groups: Group[] = [];
  const lines = new NewLines(batches);
  // Nested maps: making and hashing one text as the key would cost more than all steps here.
  const bySource = new Map<number, Map<number, Map<string, Group>>>();
  for (const [b, batch] of batches.entries()) {
    const sources = batch.senders.map((sender) => ids.get(sender) ?? 0);
    const printOf = printsOf(batch, sources, corrections);
    const { senderOf, levels, appIds } = batch;
    for (let i = 0; i < sizeOf(batch); i += 1) {
      const src = sources[senderOf[i] as number] as number;
      const print = printOf(i);
      const alike = within(within(bySource, src), (appIds[i] as number) * LEVELS_MAX + (levels[i] as number));
      const known = alike.get(print);
      if (known !== undefined) {
        known.add(b, i, batch);
        continue;
      }
      const group = new Group(batch, i, { src, number: lines.add(b, i), print, corrections }, lines);
      groups.push(group);
      alike.set(print, group);
    }
  }
  return { groups, lines };
}

/** More than there are levels. */
const LEVELS_MAX = 16;

/** Returns the map at a key, created on first use. */
function within<K, V>(maps: Map<number, Map<K, V>>, key: number): Map<K, V> {
  let found = maps.get(key);
  if (found === undefined) {
    found = new Map();
    maps.set(key, found);
  }
  return found;
}

/** Tells the errors of the lines of a batch, as people have corrected them. */
function printsOf(
  batch: LineColumns,
  sources: readonly number[],
  corrections: Corrections | undefined,
): (i: number) => string {
  const { prints, printOf, senderOf } = batch;
  const own = (i: number) => prints[printOf[i] as number] as string;
  if (corrections === undefined) return own;
  const lines = linesOf(batch);
  return (i) => {
    const { line, sender } = lines[i] as SentLine;
    return corrections.printOf(line, sender.name, sources[senderOf[i] as number] as number, own(i));
  };
}

/** A line that is the first of its group. */
interface First {
  readonly src: number;
  readonly number: number;
  readonly print: string;
  readonly corrections: Corrections | undefined;
}
