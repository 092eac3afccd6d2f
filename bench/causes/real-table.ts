// Prints how often each method names the cause of real incidents.
import { METHODS } from './judge.ts';
import type { Outcome } from './real-fleet.ts';
import type { Answer } from './real-judge.ts';

const TIMES = ['early', 'settled'] as const;
type Time = (typeof TIMES)[number];
const NAME_WIDTH = 38;
const CELL_WIDTH = 15;

const percent = (part: number, of: number) => (of === 0 ? '-' : `${((100 * part) / of).toFixed(1)} %`);
const print = (name: string, cells: readonly (string | number)[]) =>
  console.log(`  ${name.padEnd(NAME_WIDTH)}${cells.map((cell) => String(cell).padStart(CELL_WIDTH)).join('')}`);
const count = (outcomes: readonly Outcome[], time: Time, isIt: (answer: Answer) => boolean) =>
  outcomes.filter((outcome) => outcome[time] !== undefined && isIt(outcome[time])).length;
const both = (outcomes: readonly Outcome[], isIt: (answer: Answer) => boolean) =>
  TIMES.map((time) => percent(count(outcomes, time, isIt), outcomes.length));
const isFirst = ({ rank }: Answer) => rank === 1;

function medianOf(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? '-' : `${middle.toFixed(0)} s`;
}

const namedIn = (outcomes: readonly Outcome[]) =>
  medianOf(outcomes.flatMap(({ namedS }) => (namedS === undefined ? [] : [namedS])));

/** Prints the outcomes by kind and in total. */
export function printOutcomes(all: readonly Outcome[]): void {
  const judged = all.filter(({ error }) => error !== undefined);
  const caused = judged.filter(({ hasCause }) => hasCause);
  const uncaused = judged.filter(({ hasCause }) => !hasCause);
  console.log('\nKind: first place within 10 s, settled; seconds until named (median)');
  print('', ['incidents', 'within 10 s', 'settled', 'named in']);
  for (const [kind, group] of [...Map.groupBy(caused, (outcome) => outcome.kind)].sort()) {
    print(kind, [group.length, ...both(group, isFirst), namedIn(group)]);
  }
  console.log(`\n${caused.length} incidents with a cause: within 10 s, settled`);
  print('', ['top-1', 'settled', 'top-3', 'settled']);
  for (const method of METHODS) {
    const within =
      (most: number) =>
      ({ ranks }: Answer) =>
        ranks[method] > 0 && ranks[method] <= most;
    print(method, [...both(caused, within(1)), ...both(caused, within(3))]);
  }
  print('named in (median)', [namedIn(caused)]);
  print(
    'of these beside another change',
    both(caused, (answer) => isFirst(answer) && answer.isBeside),
  );
  print(
    'strong',
    both(caused, ({ strength }) => strength === 'strong'),
  );
  print(
    'strong but wrong',
    both(caused, (answer) => answer.strength === 'strong' && !isFirst(answer)),
  );
  console.log(`\n${uncaused.length} incidents without a change that an agent sees: within 10 s, settled`);
  for (const strength of ['strong', 'likely'] as const) {
    print(
      strength,
      both(uncaused, (answer) => answer.strength === strength),
    );
  }
  const failed = all.filter(({ error }) => error === undefined);
  if (failed.length > 0) console.log(`\nNo error in time: ${failed.map(({ kind }) => kind).join(', ')}`);
}
