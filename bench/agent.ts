// Measures the bundled agent while it ships 100 lines a second: memory and processor time.
//
//   pnpm bench:agent [--seconds 60] [--rate 100] [--executable FILE]
//
// It runs once with the flags of the systemd unit and `pnpm agent`, which the targets apply to, and once as plain
// `node`. With --executable it runs a single executable in place of both.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeCredentials } from './api.ts';
import { groupText } from './lines.ts';
import { builtAgent, type Memory, newFolder, startAgent, startServer } from './processes.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    executable: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds);
const RATE = Number(values.rate);
/** Seconds before the measurement, to exclude the start. */
const WARM_UP_S = 5;
const TICKS_A_SECOND = 10;
const UNIT_FLAGS = ['--jitless', '--max-semi-space-size=1', '--max-old-space-size=64'];
const WANTED = { memoryMb: 80, percent: RATE > 100 ? 3 : 2 };

async function measure(name: string, command: readonly string[], url: string, token: string): Promise<boolean> {
  const dir = newFolder();
  const file = join(dir, 'error.log');
  const agent = startAgent(command, {
    QUARTERDECK_URL: url,
    QUARTERDECK_ENROLL_TOKEN: token,
    QUARTERDECK_AGENT_DIR: join(dir, 'agent'),
    QUARTERDECK_AGENT_FILES: file,
  });
  let written = 0;
  let most: Memory = { all: 0, anonymous: 0, files: 0 };
  let beganUs = 0;
  let beganMs = 0;
  const startMs = performance.now();
  for (let tick = 1; tick <= SECONDS * TICKS_A_SECOND; tick += 1) {
    for (; written < (RATE * tick) / TICKS_A_SECOND; written += 1) {
      const [date] = new Date().toISOString().replaceAll('-', '/').replace('T', ' ').split('.');
      appendFileSync(file, `${date} [error] 7#7: *${written} ${groupText(written % 50)}\n`);
    }
    const memory = agent.memory();
    if (memory.all > most.all) most = memory;
    if (tick === WARM_UP_S * TICKS_A_SECOND) {
      beganUs = agent.cpuUs();
      beganMs = performance.now();
    }
    const waitMs = startMs + (tick * 1000) / TICKS_A_SECOND - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  const percent = (agent.cpuUs() - beganUs) / ((performance.now() - beganMs) * 10);
  await agent.stop();
  const parts = `${most.anonymous} its own, ${most.files} files`;
  process.stdout.write(
    `${name}: ${RATE} lines/s, ${most.all} MB at most (${parts}), ${percent.toFixed(2)} % of a core\n`,
  );
  return most.all <= WANTED.memoryMb && percent <= WANTED.percent;
}

const dataDir = newFolder();
const server = await startServer(dataDir);
const { apiToken: token } = await makeCredentials(server);
process.stdout.write(`target: ${WANTED.memoryMb} MB, ${WANTED.percent} % of a core\n`);
const { executable } = values;
const unit = executable === undefined ? builtAgent(...UNIT_FLAGS) : [executable, 'run'];
const isMet = await measure(executable ?? 'as the systemd unit starts it', unit, server.url, token);
if (executable === undefined) await measure('plain node', builtAgent(), server.url, token);
await server.stop();
process.exitCode = isMet ? 0 : 1;
