// `pnpm bench:sentry`: measures events of Sentry's SDKs, one in each request as the SDKs send them, on SQLite.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN_PASSWORD, type Program, startServer } from './processes.ts';
import { count, row } from './report.ts';

const SECONDS = 10;
const CONNECTIONS = 64;
const FRAMES = 20;
const ERRORS = 200;
const PERCENT = 100;

/** Sends JSON as the administrator; returns the data of the answer. */
async function ask(url: string, path: string, body: object, headers: object = {}): Promise<Record<string, string>> {
  const all = { 'Content-Type': 'application/json', ...headers };
  const answer = await fetch(url + path, { method: 'POST', headers: all, body: JSON.stringify(body) });
  return ((await answer.json()) as { data: Record<string, string> }).data;
}

/** Creates an envelope with an error of the SDK for Node.js, of one of some kinds, with an id of its own. */
function envelope(n: number): string {
  const kind = n % ERRORS;
  const frames = Array.from({ length: FRAMES }, (_, i) => ({
    filename: i < FRAMES / 2 ? `/app/node_modules/express/lib/layer${i}.js` : `/app/src/kind${kind}/step${i}.js`,
    function: `handle${i}`,
    lineno: i + 1,
    colno: 7,
    in_app: i >= FRAMES / 2,
    context_line: '    return next();',
    pre_context: ['  try {', '    check(request);'],
    post_context: ['  } catch (error) {', '    throw error;'],
  }));
  const event = {
    event_id: randomUUID().replaceAll('-', ''),
    timestamp: Date.now() / 1000,
    platform: 'node',
    level: 'error',
    environment: 'production',
    release: 'shop@1.4.2',
    server_name: 'web1',
    tags: { service: 'shop', tenant: `tenant${n % PERCENT}` },
    user: { id: n % 1000 },
    contexts: { runtime: { name: 'node', version: 'v24.0.0' }, os: { name: 'Linux', version: '6.12' } },
    breadcrumbs: Array.from({ length: FRAMES }, (_, i) => ({
      timestamp: Date.now() / 1000,
      category: 'http',
      data: { method: 'GET', url: `https://stock.example/items/${i}`, status_code: 200 },
    })),
    exception: { values: [{ type: 'TypeError', value: `stock of kind ${kind} is unknown`, stacktrace: { frames } }] },
  };
  const payload = JSON.stringify(event);
  return `{"event_id":"${event.event_id}"}\n{"type":"event","length":${Buffer.byteLength(payload)}}\n${payload}\n`;
}

function post(url: string, body: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const req = request(url, { method: 'POST', agent }, (res) => {
      res.resume();
      res.on('end', () => (res.statusCode === 200 ? resolve() : reject(new Error(`envelope: ${res.statusCode}`))));
    });
    req.on('error', reject);
    req.end(body);
  });
}

async function measure(server: Program, url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  const cpuBefore = server.cpuUs();
  const startedAt = performance.now();
  let n = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() - startedAt < SECONDS * 1000) {
        n += 1;
        const sentAt = performance.now();
        await post(url, envelope(n), agent);
        times.push(performance.now() - sentAt);
      }
    }),
  );
  const tookS = (performance.now() - startedAt) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const cpuUs = (server.cpuUs() - cpuBefore) / times.length;
  const [p50Ms = 0, p99Ms = 0] = [0.5, 0.99].map((part) => times[Math.floor(times.length * part)] ?? 0);
  const note = `${count(1e6 / cpuUs)} events per second of processor time`;
  row('one event in each request', { perSecond: times.length / tookS, p50Ms, p99Ms, cpuUs, databaseUs: 0 }, note);
}

const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-bench-'));
const server = await startServer(dataDir);
try {
  const login = await ask(server.url, '/admin-api/user/login', { username: 'admin', password: ADMIN_PASSWORD });
  const headers = { 'edge-token': login['edge-token'] };
  const { token } = await ask(server.url, '/admin-api/api_token', { kind: 'sentry' }, headers);
  await measure(server, `${server.url}/api/1/envelope/?sentry_key=${token}&sentry_version=7`);
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
