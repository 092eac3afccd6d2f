// Measures how well fingerprints group labelled lines. Run it by `pnpm bench:grouping FILES...`; each file is a JSON
// array of `{group, text}` with an optional `set`, plain or compressed by gzip.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { fingerprint } from '../packages/core/src/fingerprint/index.ts';
import { count } from './report.ts';

interface Labelled {
  readonly group: string;
  readonly text: string;
  readonly set?: string;
}

const ROUNDS = 15;
/** Lines per round at least: fewer are too quick for the clock of the processor time. */
const ROUND_LINES = 32_000;

function read(path: string): Labelled[] {
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
}

/** Lines by one of their names. */
function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Quality of the groups found, with the measures of the literature on log parsing. */
interface Quality {
  readonly lines: number;
  readonly groups: number;
  readonly found: number;
  /** Grouping accuracy: share of lines whose group has exactly the lines of the true one. */
  readonly ga: number;
  /** F1 of the groups: a found group counts if it has exactly the lines of a true one. */
  readonly fga: number;
  /** True groups that share a found group with another true one. */
  readonly merged: number;
}

function qualityOf(lines: readonly Labelled[]): Quality {
  const truth = countBy(lines.map(({ group }) => group));
  const keys = lines.map(({ text }) => fingerprint(text));
  const found = countBy(keys);
  const both = countBy(lines.map(({ group }, i) => `${keys[i]} ${group}`));
  const merged = new Set<string>();
  let exactLines = 0;
  let exactGroups = 0;
  for (const [pair, size] of both) {
    const blank = pair.indexOf(' ');
    const group = pair.slice(blank + 1);
    const inFound = found.get(pair.slice(0, blank));
    if (inFound !== size) merged.add(group);
    else if (truth.get(group) === size) {
      exactLines += size;
      exactGroups += 1;
    }
  }
  return {
    lines: lines.length,
    groups: truth.size,
    found: found.size,
    ga: exactLines / lines.length,
    fga: (2 * exactGroups) / (found.size + truth.size),
    merged: merged.size,
  };
}

/** Lines per second of processor time, the best of some rounds. */
function speedOf(texts: readonly string[]): number {
  const repeats = Math.ceil(ROUND_LINES / texts.length);
  let leastUs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let i = 0; i < repeats; i += 1) for (const text of texts) fingerprint(text);
    const { user, system } = process.cpuUsage(before);
    leastUs = Math.min(leastUs, user + system);
  }
  return (repeats * texts.length * 1e6) / leastUs;
}

const printRow = (name: string, cells: readonly string[]) =>
  console.log(`  ${name.padEnd(14)}${cells.map((cell) => cell.padStart(8)).join('')}`);
const printQuality = (name: string, { lines, groups, found, ga, fga, merged }: Quality) =>
  printRow(name, [count(lines), count(groups), count(found), ga.toFixed(3), fga.toFixed(3), count(merged)]);

/** Prints the mean of the sets, as the literature does, and the quality over the lines of all sets. */
function printTotals(lines: readonly Labelled[], qualities: readonly Quality[]): void {
  const sum = (of: (quality: Quality) => number) => qualities.reduce((total, quality) => total + of(quality), 0);
  const mean = (of: (quality: Quality) => number) => (sum(of) / qualities.length).toFixed(3);
  printRow('mean of sets', [
    '',
    '',
    '',
    mean(({ ga }) => ga),
    mean(({ fga }) => fga),
    count(sum(({ merged }) => merged)),
  ]);
  printQuality('all lines', qualityOf(lines.map((line) => ({ ...line, group: `${line.set} ${line.group}` }))));
}

function bench(path: string): void {
  const lines = read(path);
  console.log(path);
  printRow('set', ['lines', 'groups', 'found', 'GA', 'FGA', 'merged']);
  const sets = Map.groupBy(lines, ({ set = 'all' }) => set);
  const qualities = [...sets].map(([name, members]) => {
    const quality = qualityOf(members);
    printQuality(name, quality);
    return quality;
  });
  if (qualities.length > 1) printTotals(lines, qualities);
  console.log(`  ${count(speedOf(lines.map(({ text }) => text)))} lines/s of processor time`);
}

const paths = process.argv.slice(2);
if (paths.length === 0) {
  console.error('No file given. Pass files with labelled lines: pnpm bench:grouping FILES...');
  process.exit(1);
}
for (const path of paths) bench(path);
