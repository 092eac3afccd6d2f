// Lets twelve real incidents happen to real gateways on this machine, and asks the server for their causes.
//
//   pnpm bench:causes-real [--json FILE] [--messages FOLDER]
//
// Two hosts of their own have each incident, at about the same time. It needs root, for private mounts and networks.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ErrlogChanges, ErrlogEntry } from '../../packages/core/src/index.ts';
import { call, makeCredentials } from '../api.ts';
import { type Program, startServer } from '../processes.ts';
import { COLLECTING, collectMessages } from './messages.ts';
import { missingForHosts, RealHost } from './real-host.ts';
import { INCIDENTS, type RealIncident, startSite } from './real-site.ts';

const { values } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' }, messages: { type: 'string' } },
});

const HOSTS_EACH = 2;
const INTERVAL_S = 5;
/** Time for the first look of every watcher. */
const WARM_UP_MS = 45_000;
/** Time between the incidents, and after the last of them. */
const APART_MS = 2_000;
const SETTLED_MS = 90_000;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Makes an authority with a list of revoked certificates, a good certificate and one that has expired. */
function makeCertificates(dir: string): void {
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  run('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=bench authority', '-days', '900');
  run('req', ...key, '-keyout', 'backend.key', '-out', 'backend.csr', '-subj', '/CN=backend.internal');
  const sign = ['x509', '-req', '-in', 'backend.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  writeFileSync(join(dir, 'san'), 'subjectAltName=DNS:backend.internal');
  run(...sign, '-extfile', 'san', '-days', '800', '-out', 'good.pem');
  const config = ['[ca]', 'database=index', 'new_certs_dir=.', 'serial=serial', 'policy=any', 'default_md=sha256'];
  writeFileSync(join(dir, 'ca.conf'), [...config, '[any]', 'commonName=supplied', ''].join('\n'));
  writeFileSync(join(dir, 'index'), '');
  writeFileSync(join(dir, 'serial'), '01\n');
  const span = ['-startdate', '20250101000000Z', '-enddate', '20250201000000Z'];
  const by = ['-name', 'ca', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-batch', '-notext'];
  run('ca', '-config', 'ca.conf', ...by, ...span, '-extfile', 'san', '-in', 'backend.csr', '-out', 'expired.pem');
  run(
    'ca',
    '-config',
    'ca.conf',
    '-name',
    'ca',
    '-cert',
    'ca.pem',
    '-keyfile',
    'ca.key',
    '-gencrl',
    '-crlhours',
    '12',
    '-out',
    'crl.pem',
  );
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

interface Outcome {
  readonly incident: string;
  /** Text of the error; undefined = it did not happen. */
  readonly error: string | undefined;
  /** Place of the cause in the answer; 0 = not there. */
  readonly rank: number;
  readonly best: string;
}

async function outcomeOf(server: Program, headers: Record<string, string>, incident: RealIncident): Promise<Outcome> {
  const list = '/admin-api/log_server/errlog';
  const { data } = await call(server, `${list}?page_size=500&detail=1`, { headers });
  const groups = (data as { data: ErrlogEntry[] }).data;
  const group = groups.find(({ log, host }) => incident.error.test(log) && host?.startsWith(hostPrefix(incident)));
  if (group === undefined) return { incident: incident.name, error: undefined, rank: 0, best: '' };
  const answer = (await call(server, `${list}/${group.id}/changes?within=600`, { headers })).data as ErrlogChanges;
  const changes = answer.windows.find(({ kind }) => kind === 'first_seen')?.changes ?? [];
  const isCause = (row: { kind: string; field: string }) =>
    incident.names.some(({ kind, field }) => row.kind === kind && (field === '' || row.field === field));
  const [best] = changes;
  return {
    incident: incident.name,
    error: group.log,
    rank: 1 + changes.findIndex(isCause),
    best: best === undefined ? 'no change' : best.explanation,
  };
}

const hostPrefix = ({ name }: RealIncident) => `gw-${name.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}-`;

async function run(dir: string, hosts: RealHost[]): Promise<Outcome[]> {
  const incidents = INCIDENTS.filter(({ name }) => values.only === undefined || name.includes(values.only));
  const own = { QUARTERDECK_AGENT_INTERVAL: String(INTERVAL_S), ...COLLECTING };
  const server = await startServer(join(dir, 'server'), undefined, own);
  try {
    const { apiToken: token } = await makeCredentials(server);
    const headers = { 'api-token': token };
    makeCertificates(dir);
    const clock = makeClock(dir);
    const settings = { QUARTERDECK_AGENT_CONFIG_TREES: '/etc/nginx,/etc/sysctl.d' };
    const start = async (name: string) => {
      const host = await RealHost.start({ name, dir: join(dir, name), url: server.url, token, clock, settings });
      hosts.push(host);
      await startSite(host, { certificates: dir, nameServer: here('name-server.ts'), spool: join(dir, `${name}.img`) });
      return host;
    };
    const namesOf = (incident: RealIncident) => Array.from({ length: HOSTS_EACH }, (_, i) => hostPrefix(incident) + i);
    const fleet = await Promise.all(
      incidents.map(async (incident) => ({ incident, own: await Promise.all(namesOf(incident).map(start)) })),
    );
    await pause(WARM_UP_MS);
    const messages = values.messages === undefined ? undefined : await collectMessages(server, headers);
    for (const { incident, own } of fleet) {
      for (const host of own) await incident.cause(host);
      if (incident.release !== undefined) {
        const names = own.map(({ name }) => name);
        const body = JSON.stringify({ kind: 'deploy', name: 'site', after: incident.release, hosts: names });
        await call(server, '/admin-api/change', { method: 'POST', headers, body }).catch(() => undefined);
      }
      await pause(APART_MS);
    }
    await pause(SETTLED_MS);
    const outcomes: Outcome[] = [];
    for (const incident of incidents) outcomes.push(await outcomeOf(server, headers, incident));
    if (values.messages !== undefined) messages?.write(values.messages);
    return outcomes;
  } finally {
    await server.stop();
  }
}

const missing = missingForHosts();
if (missing !== undefined) {
  console.error(`This machine cannot run real incidents: ${missing}.`);
  process.exit(1);
}
const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-causes-'));
const hosts: RealHost[] = [];
try {
  const outcomes = await run(dir, hosts);
  for (const { incident, error, rank, best } of outcomes) {
    const place = rank === 0 ? 'not named' : `place ${rank}`;
    console.log(`${incident.padEnd(28)}${(error === undefined ? 'no error' : place).padEnd(12)}${best}`);
  }
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(outcomes, undefined, 1));
} finally {
  for (const host of hosts) host.stop();
  rmSync(dir, { recursive: true, force: true });
}
