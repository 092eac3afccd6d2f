// `pnpm faults [NAME...] [--short] [--broken]`: proves the promises of `promises.ts`, each with a line of figures. With
// --broken it proves that a deliberately broken server is detected. Options after one name are those of its script:
// `pnpm faults half-sent --seconds 60`. See README.md beside this file.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { measureTime } from '../time-taken.ts';
import { staleDefects } from './broken-server.ts';
import { PROMISES, type Promised } from './promises.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CANNOT_RUN = 2;

const given = process.argv.slice(2).filter((word) => word !== '--');
const isShort = given.includes('--short');
const isBroken = given.includes('--broken');
const names = given.filter((word) => PROMISES.some(({ name }) => name === word));
const others = given.filter((word) => word !== '--short' && word !== '--broken' && !names.includes(word));
const only = names.length === 1 ? names[0] : undefined;
if (others.length > 0 && only === undefined) {
  console.error(`Unknown: ${others.join(' ')}. The promises are ${PROMISES.map(({ name }) => name).join(', ')}.`);
  process.exit(CANNOT_RUN);
}

/** A program to run, or the reason why none runs. */
type Plan = string | { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> };

function planOf(promised: Promised): Plan {
  if ('tests' in promised) {
    if (isBroken) return 'its tests have no broken server';
    if (isShort) return 'pnpm test:all has its tests';
    const { tests, projects, runs, kills } = promised;
    return {
      argv: ['node_modules/vitest/vitest.mjs', 'run', ...projects.flatMap((name) => ['--project', name]), ...tests],
      env: {
        QUARTERDECK_TESTS: 'all',
        ...(runs === undefined ? {} : { QUARTERDECK_TEST_RUNS: String(runs) }),
        ...(kills === undefined ? {} : { QUARTERDECK_TEST_FAULTS: String(kills) }),
      },
    };
  }
  const { name, script = `${name}.ts`, args = [], short, proven, program, needsSource, broken } = promised;
  if (isBroken && broken === undefined) return 'it has no broken server';
  if (isShort && !isBroken && short === undefined) return proven ?? 'it takes long';
  if (program !== undefined && spawnSync('which', [program]).status !== 0) return `${program} is not installed`;
  const flags = needsSource === true ? ['--conditions=@quarterdeck/source'] : [];
  const chosen = isShort ? (short ?? args) : args;
  const env = isShort && !isBroken ? { QUARTERDECK_TEST_PATIENCE: '5' } : {};
  const withDefect = broken === true ? [...(short ?? args), '--broken'] : broken;
  return { argv: [...flags, `test/faults/${script}`, ...(isBroken ? (withDefect ?? []) : chosen), ...others], env };
}

/** Picks the figures of an output. */
function figureOf(promised: Promised, output: string): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if ('tests' in promised) return lines.find((line) => line.startsWith('Tests ')) ?? '';
  const { figure } = promised;
  if (figure === undefined) return lines.at(-1) ?? '';
  return lines.flatMap((line) => figure.exec(line)?.[0] ?? []).join('; ');
}

/** Runs a program; one that was chosen alone shows its output. */
async function run({ argv, env }: Exclude<Plan, string>): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, argv, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (only !== undefined) process.stdout.write(chunk);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Runs a proof; returns false where the promise is not kept, or a broken server was not detected. */
async function prove(promised: Promised): Promise<boolean> {
  const { name, promise } = promised;
  const say = (result: string, text: string) =>
    console.log(`${result.padEnd(10)}  ${name}: ${promise}\n${' '.repeat(12)}${text}`);
  const plan = planOf(promised);
  if (typeof plan === 'string') {
    if (only !== undefined || !isBroken) say('left out', plan);
    return true;
  }
  const taken = measureTime();
  const { code, output } = await run(plan);
  const took = taken();
  const why = /left out: (.*)/.exec(output)?.[1];
  const figure = figureOf(promised, output);
  const symptom = 'tests' in promised ? undefined : promised.symptom;
  const isSeen = symptom === undefined || symptom.test(output);
  const isDetected = isBroken && code === 1 && isSeen && !output.includes('the code to break is not in');
  if (code === CANNOT_RUN || (code === 0 && why !== undefined)) say('left out', why ?? figure);
  else if (isDetected) say('detected', `${figure} (${took})`);
  else if (code === 0 && !isBroken) say('kept', `${figure} (${took})`);
  else {
    say(isBroken ? 'UNDETECTED' : 'NOT KEPT', `exit ${code} (${took})`);
    if (only === undefined) console.log(output.replaceAll(/^/gm, '    '));
    return false;
  }
  return true;
}

const taken = measureTime();
const failed = staleDefects((file, code) => readFileSync(`${ROOT}${file}`, 'utf8').includes(code));
for (const name of failed) console.log(`The code that the defect ${name} replaces has moved: update broken-server.ts`);
for (const promised of PROMISES) {
  if (names.length > 0 && !names.includes(promised.name)) continue;
  if (!(await prove(promised))) failed.push(promised.name);
}
const good = isBroken ? 'All broken servers are detected' : 'All are kept';
const result = failed.length === 0 ? `${good}, except those left out` : `FAILED: ${failed.join(', ')}`;
console.log(`\n${result} (${taken()})`);
process.exit(failed.length === 0 ? 0 : 1);
