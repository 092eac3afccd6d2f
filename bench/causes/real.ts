// Lets incidents happen to real gateways on this machine, and asks the server for their causes.
//
//   pnpm bench:causes-real [--list] [--seed N] [--incidents N] [--fleets N] [--only WORD] [--json FILE]
//                          [--messages FOLDER]
//
// Each fleet has 4 to 12 hosts for the whole run and one incident at a time; an interrupt ends the run after those
// under way. It needs root, for private mounts and networks.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeCredentials } from '../api.ts';
import { randomFrom } from '../lines.ts';
import { startServer } from '../processes.ts';
import { COLLECTING, collectMessages } from './messages.ts';
import { type Outcome, RealFleet, serviceOf, shuffled } from './real-fleet.ts';
import { missingForHosts, RealHost } from './real-host.ts';
import { KINDS } from './real-kinds.ts';
import { CONFIG_TREES, startSite } from './real-site.ts';
import { printOutcomes } from './real-table.ts';

const { values } = parseArgs({
  options: {
    list: { type: 'boolean' },
    seed: { type: 'string', default: '1' },
    incidents: { type: 'string', default: '300' },
    fleets: { type: 'string', default: '2' },
    only: { type: 'string' },
    json: { type: 'string' },
    messages: { type: 'string' },
  },
});

const HOSTS = { least: 4, most: 12 };
const INTERVAL_S = 5;
/** Time for the first look of every watcher. */
const WARM_UP_MS = 45_000;

/** True after an interrupt: the incidents under way are the last. */
let stopped = false;
process.once('SIGINT', () => {
  stopped = true;
});

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Makes an authority with a list of revoked certificates, good and bad certificates, and keys. */
function makeCertificates(dir: string): void {
  const run = (command: string) => execFileSync('openssl', command.split(' '), { cwd: dir, stdio: 'pipe' });
  for (const name of ['ca', 'other-ca']) {
    run(`req -x509 -newkey rsa:2048 -nodes -keyout ${name}.key -out ${name}.pem -subj /CN=${name} -days 900`);
  }
  run('req -newkey rsa:2048 -nodes -keyout backend.key -out backend.csr -subj /CN=backend.internal');
  run('genrsa -out other.key 2048');
  for (const [out, name] of [
    ['good', 'backend.internal'],
    ['wrong-name', 'shop.internal'],
  ]) {
    writeFileSync(join(dir, 'san'), `subjectAltName=DNS:${name}`);
    run(`x509 -req -in backend.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile san -days 800 -out ${out}.pem`);
  }
  const config = ['[ca]', 'database=index', 'new_certs_dir=.', 'serial=serial', 'policy=any', 'default_md=sha256'];
  writeFileSync(join(dir, 'ca.conf'), [...config, '[any]', 'commonName=supplied', ''].join('\n'));
  writeFileSync(join(dir, 'index'), '');
  writeFileSync(join(dir, 'serial'), '01\n');
  writeFileSync(join(dir, 'san'), 'subjectAltName=DNS:backend.internal');
  const by = 'ca -config ca.conf -name ca -cert ca.pem -keyfile ca.key -batch -notext';
  run(`${by} -startdate 20250101000000Z -enddate 20250201000000Z -extfile san -in backend.csr -out expired.pem`);
  run('ca -config ca.conf -name ca -cert ca.pem -keyfile ca.key -gencrl -crlhours 12 -out crl.pem');
}

/** Compiles the library for wrong clocks; undefined where this machine has no compiler. */
function makeClock(dir: string): string | undefined {
  const path = join(dir, 'clock.so');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', path, here('clock.c')], { stdio: 'pipe' });
    return path;
  } catch {
    return undefined;
  }
}

async function run(dir: string, hosts: RealHost[], outcomes: Outcome[]): Promise<void> {
  const random = randomFrom(Number(values.seed));
  const kinds = KINDS.filter(({ name }) => values.only === undefined || name.includes(values.only));
  const fleets = Number(values.fleets);
  const each = Math.ceil(Number(values.incidents) / fleets);
  const own = { QUARTERDECK_AGENT_INTERVAL: String(INTERVAL_S), ...COLLECTING };
  const server = await startServer(join(dir, 'server'), undefined, own);
  try {
    const { apiToken: token } = await makeCredentials(server);
    const headers = { 'api-token': token };
    makeCertificates(dir);
    const clock = makeClock(dir);
    const start = async (name: string, services: readonly string[]) => {
      const files = services.map((service) => `/var/log/nginx/${service}.log;service=${service}`);
      const settings = {
        QUARTERDECK_AGENT_CONFIG_TREES: CONFIG_TREES,
        QUARTERDECK_AGENT_FILES: files.join(','),
      };
      const host = await RealHost.start({ name, dir: join(dir, name), url: server.url, token, clock, settings });
      hosts.push(host);
      await startSite(host, { certificates: dir, nameServer: here('name-server.ts'), spool: join(dir, `${name}.img`) });
      return host;
    };
    const started: RealFleet[] = [];
    for (let i = 1; i <= fleets; i += 1) {
      const name = `site${i}`;
      const size = HOSTS.least + Math.floor(random() * (HOSTS.most - HOSTS.least + 1));
      const services = Array.from({ length: each }, (_, incident) => serviceOf(name, incident + 1));
      const names = Array.from({ length: size }, (_, host) => `${name}-gw-${host + 1}`);
      const own = await Promise.all(names.map((host) => start(host, services)));
      const report = (outcome: Outcome) => {
        outcomes.push(outcome);
        console.log(lineOf(outcome));
      };
      started.push(
        new RealFleet({
          name,
          hosts: own,
          server,
          headers,
          random: randomFrom(Math.floor(random() * 2 ** 32)),
          report,
        }),
      );
    }
    await pause(WARM_UP_MS);
    const messages = values.messages === undefined ? undefined : await collectMessages(server, headers);
    // Every kind happens once before one happens again.
    const rounds = Array.from({ length: Math.ceil((each * fleets) / kinds.length) }, () => shuffled(random, kinds));
    const planned = rounds.flat().slice(0, Number(values.incidents));
    await Promise.all(
      started.map(async (fleet, i) => {
        for (const [at, kind] of planned.entries()) {
          if (at % fleets === i && !stopped) await fleet.run(kind);
        }
      }),
    );
    if (values.messages !== undefined) messages?.write(values.messages);
  } finally {
    await server.stop();
  }
}

function lineOf({ kind, hosts, of, error, early, settled, namedS }: Outcome): string {
  const where = `${hosts.length} of ${of}`.padEnd(8);
  if (error === undefined || settled === undefined) return `${kind.padEnd(40)}${where}no error`;
  const place = (rank: number | undefined) => (rank === undefined || rank === 0 ? '-' : String(rank));
  const places = `${place(early?.rank)}/${place(settled.rank)}`.padEnd(6);
  const time = (namedS === undefined ? '' : `${namedS.toFixed(0)} s`).padEnd(6);
  return `${kind.padEnd(40)}${where}${places}${time}${settled.strength.padEnd(8)}${settled.best}`;
}

if (values.list === true) {
  for (const { name } of KINDS) console.log(name);
  process.exit(0);
}
const missing = missingForHosts();
if (missing !== undefined) {
  console.error(`This machine cannot run real incidents: ${missing}.`);
  process.exit(1);
}
const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-causes-'));
const hosts: RealHost[] = [];
const outcomes: Outcome[] = [];
const startMs = Date.now();
try {
  await run(dir, hosts, outcomes);
} finally {
  for (const host of hosts) host.stop();
  rmSync(dir, { recursive: true, force: true });
  const minutes = ((Date.now() - startMs) / 60_000).toFixed(1);
  console.log(`\nSeed ${values.seed}: ${outcomes.length} incidents on ${hosts.length} hosts in ${minutes} minutes`);
  printOutcomes(outcomes);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(outcomes, undefined, 1));
}
