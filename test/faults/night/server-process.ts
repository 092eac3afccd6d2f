// The built server with a fast clock. `servers.ts` starts it as a process of its own.
import { createRequire, registerHooks } from 'node:module';
import { type ClockSettings, fastNow } from './clock.ts';

/** Shorter waits stay as they are: they space out work, and the processor is not faster. */
const SHORT_MS = 500;
const LEAST_MS = 100;
/** Modules that wait for times of the night. Others wait for the database, clients and threads, in real time. */
const FAST = /\/apps\/server\/dist\/(jobs|backup|features\/(agent|alert|audit|errlog|webhook))\//;

const clock = JSON.parse(process.env['NIGHT_CLOCK'] ?? '') as ClockSettings;
const scaled = (ms: number | undefined) =>
  ms === undefined || ms < SHORT_MS ? ms : Math.max(LEAST_MS, ms / clock.speed);

const faster =
  (original: typeof setTimeout | typeof setInterval) =>
  (work: () => void, ms?: number, ...args: []) =>
    original(work, scaled(ms), ...args);
Object.assign(globalThis, {
  fastTimers: { setTimeout: faster(setTimeout), setInterval: faster(setInterval) },
});
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!FAST.test(url)) return loaded;
    return { ...loaded, source: `const { setTimeout, setInterval } = globalThis.fastTimers;${loaded.source}` };
  },
});
// An attempt of a message must end within the lease, which ends by the fast clock.
const timeout = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => timeout(Math.ceil(scaled(ms) ?? ms));

const dist = new URL('../../../apps/server/dist/', import.meta.url).href;
const { startServer } = await import(`${dist}server.js`);
const { readConfig } = await import(`${dist}settings/config.js`);
const { pino } = createRequire(`${dist}server.js`)('pino') as { pino: (options: object) => unknown };
const config = readConfig(process.env);
const server = await startServer(config, pino({ level: config.logLevel }), {
  now: fastNow(clock),
  monotonic: () => performance.now() * clock.speed,
});
process.once('SIGTERM', async () => {
  await server.stop();
  process.exit();
});
