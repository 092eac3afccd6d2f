// Prints how often each method names the cause.
import { type Judged, METHODS, type Method, type Result } from './judge.ts';

const TIMES = ['settled', 'early'] as const;
type Time = (typeof TIMES)[number];

const percent = (part: number, of: number) => (of === 0 ? '-' : `${((100 * part) / of).toFixed(1)}`);
const pair = (results: readonly Result[], isRight: (judged: Judged) => boolean) =>
  TIMES.map((time) => percent(results.filter((result) => isRight(result[time])).length, results.length)).join(' / ');
const isWithin = (method: Method, most: number) => (judged: Judged) =>
  judged.rank[method] > 0 && judged.rank[method] <= most;

const NAME_WIDTH = 24;
const CELL_WIDTH = 16;
const print = (name: string, cells: readonly (string | number)[]) =>
  console.log(`  ${name.padEnd(NAME_WIDTH)}${cells.map((cell) => String(cell).padStart(CELL_WIDTH)).join('')}`);

function printGroups(title: string, results: readonly Result[], groupOf: (result: Result) => string): void {
  console.log(`\n${title}: top-1 in percent, settled / early (top-3 of the server)`);
  print('', ['incidents', 'top-3', ...METHODS]);
  for (const [name, group] of Map.groupBy(results, groupOf)) {
    const cells = METHODS.map((method) => pair(group, isWithin(method, 1)));
    print(name, [group.length, pair(group, isWithin('server', 3)), ...cells]);
  }
}

const count = (results: readonly Result[], time: Time, strength: string) =>
  results.filter((result) => result[time].strength === strength);

/** Prints where the server is behind a method by more than one incident. */
function printBehind(results: readonly Result[], groupOf: (result: Result) => string): void {
  for (const [name, group] of Map.groupBy(results, groupOf)) {
    for (const time of TIMES) {
      for (const method of METHODS) {
        const hits = (of: Method) => group.filter((result) => isWithin(of, 1)(result[time])).length;
        const behind = hits(method) - hits('server');
        if (behind > 1) console.log(`  ${name}, ${time}: ${behind} incidents behind "${method}"`);
      }
    }
  }
}

function printTimes(results: readonly Result[]): void {
  console.log(`\nProcessor time of an answer, client included`);
  print('', ['median', 'p99']);
  for (const [size, group] of Map.groupBy(results, (result) => result.size)) {
    const times = group.flatMap(({ early, settled }) => [early.ms, settled.ms]).sort((a, b) => a - b);
    const at = (part: number) => `${(times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(1)} ms`;
    print(`${size} hosts`, [at(0.5), at(0.99)]);
  }
}

/** Prints the tables of incidents with a cause and of those without one. */
export function printTables(caused: readonly Result[], uncaused: readonly Result[]): void {
  console.log(`\nAll ${caused.length} incidents with a cause: percent, settled / early`);
  print('', ['top-1', 'top-3']);
  for (const method of METHODS) print(method, [pair(caused, isWithin(method, 1)), pair(caused, isWithin(method, 3))]);
  for (const isBusy of [false, true]) {
    const part = caused.filter((result) => result.isBusy === isBusy);
    console.log(`\n${isBusy ? 'Busy' : 'Quiet'} fleets (${part.length} incidents)`);
    print('', ['top-1', 'top-3']);
    for (const method of METHODS) print(method, [pair(part, isWithin(method, 1)), pair(part, isWithin(method, 3))]);
  }
  printGroups('Size and business', caused, ({ size, isBusy }) => `${size} hosts, ${isBusy ? 'busy' : 'quiet'}`);
  const plain = caused.filter(({ trap }) => trap === 'plain');
  printGroups('Kind of change', plain, ({ kind }) => kind);
  printGroups('Trap', caused, ({ trap }) => trap);
  console.log('\nBehind another method by more than one incident:');
  printBehind(plain, ({ kind }) => kind);
  printBehind(caused, ({ trap }) => trap);

  console.log(`\nCalibration: of the best rows with a word, the share that names the cause`);
  print('', ['strong', 'likely', 'weak']);
  for (const time of TIMES) {
    print(
      time,
      cellsOf(['strong', 'likely', 'weak'], (word) => {
        const named = count(caused, time, word);
        const right = named.filter((result) => result[time].rank.server === 1).length;
        return `${percent(right, named.length)} of ${named.length}`;
      }),
    );
  }
  console.log(`\nFalse alarms in ${uncaused.length} incidents without a cause: percent`);
  print('', ['strong', 'likely', 'weak']);
  for (const time of TIMES) {
    print(
      time,
      cellsOf(['strong', 'likely', 'weak'], (word) => {
        return percent(count(uncaused, time, word).length, uncaused.length);
      }),
    );
  }
  printTimes([...caused, ...uncaused]);
}

const cellsOf = (words: readonly string[], cellOf: (word: string) => string) => words.map(cellOf);
