// `pnpm check`: what has to be true before a change lands. `pnpm check --all`: before a release. `--only STEP...` and
// `--except STEP...` choose steps. Steps that do not disturb one another run side by side. The output of a step follows
// when it ends, with its time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Steps run side by side while their cores are not more than these. */
const CORES = 2;

interface Step {
  /** Script of package.json, with its arguments. */
  readonly run: string;
  /** Steps that come first. */
  readonly after?: readonly string[];
  /** Cores that it keeps busy; a step with all of them runs alone, also because it measures times. */
  readonly cores: 1 | typeof CORES;
  /** True for a step before a release only: it kills, measures time, or needs programs and archives of others. */
  readonly isLong?: boolean;
}

/** In the order in which they begin, as far as `after` and `cores` let them. */
const STEPS: Readonly<Record<string, Step>> = {
  lint: { run: 'lint', cores: 1 },
  language: { run: 'language', cores: 1 },
  production: { run: 'production', cores: 1 },
  build: { run: 'build', cores: CORES },
  test: { run: 'test', cores: CORES, after: ['build'] },
  pack: { run: 'release:pack', cores: 1, after: ['build'] },
  typecheck: { run: 'typecheck', cores: 1, after: ['build'] },
  postgresql: { run: 'test:postgresql', cores: CORES, after: ['build'] },
  archives: { run: 'release:x64', cores: 1, after: ['pack'], isLong: true },
  unused: { run: 'unused', cores: 1, after: ['build'] },
  generated: { run: 'generated', cores: 1, after: ['build'] },
  packages: { run: 'test:packages', cores: 1, after: ['archives'], isLong: true },
  release: { run: 'release:installed', cores: 1, after: ['pack'] },
  // Alone: under load a client may take longer to send than a server that stops lets a connection wait.
  faults: { run: 'faults --short', cores: CORES, after: ['build'], isLong: true },
  rest: { run: 'test:rest', cores: CORES, after: ['build'], isLong: true },
};

function fail(message: string): never {
  console.error(`${message} The steps are ${Object.keys(STEPS).join(', ')}.`);
  process.exit(2);
}

/** Names of the steps that the arguments select. */
function selected(args: readonly string[]): Set<string> {
  const [option, ...names] = args;
  const all = Object.keys(STEPS);
  if (option === '--all' && names.length === 0) return new Set(all);
  const short = all.filter((name) => STEPS[name]?.isLong !== true);
  if (option === undefined) return new Set(short);
  if ((option !== '--only' && option !== '--except') || names.length === 0)
    fail('Usage: pnpm check [--all | --only STEP... | --except STEP...].');
  for (const name of names) if (!(name in STEPS)) fail(`Unknown step: ${name}.`);
  return new Set(option === '--only' ? names : short.filter((name) => !names.includes(name)));
}

/** Runs a script of package.json; returns its exit code and what it printed. */
async function run(script: string, showAtOnce: boolean): Promise<{ code: number | null; output: string }> {
  const child = spawn('pnpm', ['run', ...script.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (showAtOnce) process.stdout.write(chunk);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

const names = selected(process.argv.slice(2).filter((word) => word !== '--'));
const waiting = new Set(names);
const ended = new Map<string, { readonly passed: boolean; readonly seconds: number }>();
const running = new Map<string, Promise<void>>();

async function runStep(name: string, step: Step): Promise<void> {
  const startedMs = performance.now();
  const { code, output } = await run(step.run, names.size === 1);
  const seconds = (performance.now() - startedMs) / 1000;
  ended.set(name, { passed: code === 0, seconds });
  running.delete(name);
  if (names.size > 1) console.log(`\n${output}`);
  console.log(`== ${name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds.toFixed(0)} s`);
}

/** Begins the steps for which there is room. A step whose predecessor failed does not run. */
function begin(): void {
  for (const name of waiting) {
    const step = STEPS[name];
    if (step === undefined) continue;
    const { after = [], cores } = step;
    const before = after.filter((other) => names.has(other));
    if (before.some((other) => ended.get(other)?.passed === false)) waiting.delete(name);
    const busy = Array.from(running.keys(), (other) => STEPS[other]?.cores ?? 0).reduce<number>((a, b) => a + b, 0);
    if (!waiting.has(name) || busy + cores > CORES || !before.every((other) => ended.has(other))) continue;
    waiting.delete(name);
    running.set(name, runStep(name, step));
  }
}

const startedMs = performance.now();
for (begin(); running.size > 0; begin()) await Promise.race(running.values());

console.log(`\nAll steps took ${((performance.now() - startedMs) / 1000).toFixed(0)} s.`);
for (const name of names) {
  const { passed, seconds } = ended.get(name) ?? {};
  console.log(
    `${name.padEnd(12)}${seconds?.toFixed(0).padStart(5) ?? '    -'} s  ${passed === undefined ? 'not run' : passed ? 'passed' : 'FAILED'}`,
  );
  if (passed !== true) process.exitCode = 1;
}
