// `node scripts/build-program.ts dashboard`: builds one program and the packages below it, for `pnpm start`, `pnpm tui`
// and `pnpm agent`. A first build takes a while, so one line on standard error shows that it goes on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PACKAGES = { server: '@quarterdeck/server', dashboard: '@quarterdeck/cli', agent: '@quarterdeck/agent' } as const;
const FRAMES = ['|', '/', '-', '\\'];
const FRAME_MS = 100;

const name = process.argv[2] ?? '';
const isProgram = (text: string): text is keyof typeof PACKAGES => Object.hasOwn(PACKAGES, text);
if (!isProgram(name)) throw new Error(`Usage: build-program.ts ${Object.keys(PACKAGES).join('|')}`);

const startedMs = Date.now();
/** Shows that the build goes on; returns a function that removes it. */
function showProgress(): () => void {
  const text = `Building the ${name}`;
  if (!process.stderr.isTTY) {
    process.stderr.write(`${text}.\n`);
    return () => undefined;
  }
  let turn = 0;
  const draw = (): void => {
    const frame = FRAMES[turn++ % FRAMES.length] ?? '';
    process.stderr.write(`\r${frame} ${text}: ${Math.floor((Date.now() - startedMs) / 1000)} s`);
  };
  draw();
  const timer = setInterval(draw, FRAME_MS);
  return () => {
    clearInterval(timer);
    process.stderr.write('\r\u001B[K');
  };
}

const done = showProgress();
const build = spawn('turbo', ['run', 'build', `--filter=${PACKAGES[name]}...`, '--output-logs=errors-only'], {
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
const output: Buffer[] = [];
for (const stream of [build.stdout, build.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
const [code] = (await once(build, 'close')) as [number | null];
done();
// The build explains itself only where it fails.
if (code !== 0) process.stderr.write(Buffer.concat(output));
process.exitCode = code ?? 1;
