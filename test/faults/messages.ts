// `pnpm faults messages [--rounds 20] [--broken]`: kills the built server while it finds new errors, stores messages
// and sends them. Each acknowledged error must arrive by its rule, and each acknowledged change by the types of a
// channel: at least once, and under one message id. See README.md beside this file.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { breakServer } from './broken-server.ts';
import { ask, signIn } from './honest-clients.ts';
import { newText } from './server/steady-load.ts';
import { type Server, startServer } from './server/world.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, broken: { type: 'boolean', default: false } },
});
const ROUNDS = Number(options.rounds);
/** A round of rules tells at most 20 new errors one by one, also when a kill has left one round out. */
const PAUSE_MS = 1_000;
/** A round of rules is every 5 s, so that each server has one before it is killed, and may be killed in the next. */
const KILL_FROM_MS = 5_000;
const KILL_WITHIN_MS = 5_500;
const BEGIN_EVERY_MS = 1_000;
const ERRLOG = '/admin-api/log_server/errlog';
const ARRIVE_MAX_MS = 60_000;
/** One message of so many is refused, and sent again. */
const REFUSED_ONE_OF = 12;
const PATIENCE_MS = 10_000;
const TEXT = /[ghijklmnopqrstuvwxyz]{20}/;

/** Path of a channel -> text -> ids of its messages, once for each time that it came. */
const arrived = { '/rule': new Map<string, string[]>(), '/types': new Map<string, string[]>() };
type Path = keyof typeof arrived;
const PATHS: readonly Path[] = ['/rule', '/types'];
/** Acknowledged texts of each channel. */
const acknowledged: Readonly<Record<Path, string[]>> = { '/rule': [], '/types': [] };

let received = 0;
const receiver = createServer(async (req, res) => {
  const body = await text(req);
  const found = TEXT.exec(body)?.[0];
  const of = arrived[req.url as Path];
  if (found !== undefined) of.set(found, [...(of.get(found) ?? []), String(req.headers['webhook-id'])]);
  await delay(randomInt(50));
  received += 1;
  res.writeHead(received % REFUSED_ONE_OF === 0 ? 500 : 204).end();
});

/** Sends a request; true where it was acknowledged. */
async function post({ url }: Server, path: string, session: string, body: unknown): Promise<boolean> {
  const { outcome } = await ask({ url, path, headers: { 'edge-token': session }, body, patienceMs: PATIENCE_MS });
  return outcome === 200;
}

/** Creates the channels and the rule. */
async function prepare(server: Server, session: string): Promise<void> {
  const { port } = receiver.address() as AddressInfo;
  const headers = { 'edge-token': session };
  for (const [path, types] of [
    ['/rule', []],
    ['/types', ['change.created']],
  ] as const) {
    const body = { name: path, url: `http://127.0.0.1:${port}${path}`, types };
    const { outcome, text: answer } = await ask({
      url: server.url,
      path: '/admin-api/webhook',
      headers,
      body,
      patienceMs: PATIENCE_MS,
    });
    if (outcome !== 200) throw new Error(`no channel was created: ${outcome} ${answer}`);
    if (path === '/types') continue;
    const { id } = (JSON.parse(answer) as { data: { id: number } }).data;
    const rule = { name: 'new errors', when: { kind: 'errlog.new' }, channels: [id] };
    if (!(await post(server, '/admin-api/alert', session, rule))) throw new Error('no rule was created');
  }
  // A rule begins with the round of rules after its creation.
  while (arrived['/rule'].size === 0) {
    await post(server, ERRLOG, session, { level: 4, log: newText() });
    await delay(BEGIN_EVERY_MS);
  }
}

/** Reports errors and changes until the server is gone. */
async function writeUntil(server: Server, session: string, stopped: () => boolean): Promise<void> {
  while (!stopped()) {
    const [error, change] = [newText(), newText()];
    if (await post(server, ERRLOG, session, { level: 4, log: error })) acknowledged['/rule'].push(error);
    if (await post(server, '/admin-api/change', session, { kind: 'deploy', name: change }))
      acknowledged['/types'].push(change);
    await delay(PAUSE_MS);
  }
}

const missing = (path: Path) => acknowledged[path].filter((one) => !arrived[path].has(one));

if (options.broken) breakServer('messages');
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-messages-'));
try {
  const settings = { QUARTERDECK_LOG_LEVEL: 'error', QUARTERDECK_WEBHOOK_ALLOW: '127.0.0.0/8' };
  let server = await startServer({ dataDir }, settings);
  const session = await signIn(server.url, 'admin', server.password);
  await prepare(server, session);
  const again = { ...settings, QUARTERDECK_PORT: new URL(server.url).port };
  for (let round = 0; round < ROUNDS; round += 1) {
    let isOver = false;
    const writing = writeUntil(server, session, () => isOver);
    await delay(KILL_FROM_MS + randomInt(KILL_WITHIN_MS));
    await server.end('SIGKILL');
    isOver = true;
    await writing;
    server = await startServer({ dataDir }, again);
  }
  const giveUpMs = performance.now() + ARRIVE_MAX_MS;
  while (PATHS.some((path) => missing(path).length > 0) && performance.now() < giveUpMs) await delay(100);
  await server.end('SIGTERM');
  const results = PATHS.map((path) => {
    const all = [...arrived[path].values()];
    const doubled = all.filter((ids) => new Set(ids).size > 1).length;
    const repeated = all.reduce((sum, ids) => sum + ids.length - 1, 0);
    const lost = missing(path).length;
    return {
      kept: lost === 0 && doubled === 0 && acknowledged[path].length > 0,
      text: `${path}: ${acknowledged[path].length} acknowledged, ${lost} lost, ${doubled} under two ids, ${repeated} repeated`,
    };
  });
  console.log(`${ROUNDS} kills; ${results.map((one) => one.text).join('; ')}`);
  process.exitCode = results.every(({ kept }) => kept) ? 0 : 1;
} finally {
  receiver.close();
  receiver.closeAllConnections();
  rmSync(dataDir, { recursive: true, force: true });
}
