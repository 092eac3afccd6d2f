// A server in this process whose clock the bench sets, and a fleet of simulated agents that speak to it over HTTP.
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentFacts, ErrlogChanges, HostChangeKind } from '../../packages/core/src/index.ts';
import { built } from '../built.ts';

const { statement } = await built('packages/core/dist/db/open/index.js');
const { createClient, signIn } = await built('packages/sdk/dist/index.js');
const { readConfig } = await built('apps/server/dist/settings/config.js');
const { startServer } = await built('apps/server/dist/compose/server.js');
const requireOfServer = createRequire(new URL('../../apps/server/package.json', import.meta.url));
const { pino } = requireOfServer('pino') as {
  pino(options: { level: string }): Parameters<typeof startServer>[1];
};

const PASSWORD = 'bench password of no value';
/** Start of the simulated time (Unix seconds). */
const START_S = 1_790_000_000;
const UNLIMITED = { perSecond: 1e9, burst: 1e9 };
const SITES = ['ams', 'fra', 'nyc'];
const ROLES = ['web', 'api', 'db', 'cache'];
/** Requests in flight. */
const AT_ONCE = 32;

/** A simulated host with its agent. */
export interface Host {
  readonly id: number;
  /** Number in its fleet; the id depends on who registers first. */
  readonly index: number;
  readonly secret: string;
  readonly name: string;
  readonly site: string;
  readonly role: string;
  /** Seconds of each half minute at which its agent reports. */
  readonly phaseS: number;
  /** Number of its last reported change. */
  seq: number;
}

/** A change that an agent observes on its host. */
export interface ObservedChange {
  readonly atS: number;
  readonly kind: HostChangeKind;
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** A change that something outside the fleet reports. */
export interface OutsideChange {
  readonly kind: string;
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export interface HistoryLine {
  readonly agent: number;
  readonly timeMs: number;
  readonly kind: string;
  readonly field: string;
  readonly to: string;
}

const ADD = statement(
  `INSERT INTO agent_change (agent_id, time_ms, kind, field, name, before, after) VALUES (?, ?, ?, ?, ?, ?, ?)`,
);
const HISTORY = statement(
  `SELECT agent_id AS agent, time_ms AS "timeMs", kind, field, after AS "to" FROM agent_change
   WHERE time_ms >= ? AND time_ms < ? ORDER BY time_ms, id`,
);
const TOUCH = statement('UPDATE agent SET last_reported_ms = ? WHERE hostname NOT IN (SELECT value FROM json_each(?))');

/** A server with a fleet of its own. */
export class Fleet {
  readonly hosts: Host[] = [];
  /** Inputs that the server does not take yet; their history is stored directly. */
  readonly missing = new Set<string>();
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-causes-'));
  readonly #secret = new AsyncLocalStorage<string>();
  /** Agents that an administrator has changed. */
  readonly #touched = new Set<number>();
  #nowMs = START_S * 1000;
  #server!: Awaited<ReturnType<typeof startServer>>;
  #client!: ReturnType<typeof createClient>;
  #admin = '';

  static async start(size: number): Promise<Fleet> {
    const fleet = new Fleet();
    await fleet.#start(size);
    return fleet;
  }

  async #start(size: number): Promise<void> {
    const settings = {
      PORT: '0',
      SYSLOG_PORT: 'off',
      NEW_GROUPS_PER_MINUTE: '1000000',
      ADMIN_PASSWORD: PASSWORD,
      DATA_DIR: this.#dataDir,
      DATABASE_URL: '',
    };
    const env = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`QUARTERDECK_${name}`, value]));
    this.#server = await startServer(readConfig(env), pino({ level: 'silent' }), {
      now: () => this.#nowMs,
      monotonic: () => this.#nowMs - START_S * 1000,
      argon2: { memoryCost: 8, timeCost: 1, parallelism: 1 },
      writeRate: UNLIMITED,
    });
    // They run by real time; the bench runs them at simulated times.
    await this.#server.jobs.stop();
    const { url } = this.#server;
    const { client } = await signIn({ url, username: 'admin', password: PASSWORD });
    this.#admin = (await client.apiToken.create({ body: { name: 'bench' } })).token;
    this.#client = createClient({ url, apiToken: () => this.#secret.getStore() ?? this.#admin });
    await this.together(Array.from({ length: size }, (_, i) => () => this.#register(i)));
    this.hosts.sort((a, b) => a.index - b.index);
  }

  async #register(i: number): Promise<void> {
    const name = `gw-${String(i).padStart(3, '0')}`;
    const [site, role] = [SITES[i % SITES.length] ?? '', ROLES[Math.floor(i / SITES.length) % ROLES.length] ?? ''];
    const body = {
      node_id: `node-${i}`,
      hostname: name,
      ip: `10.1.${i >> 8}.${i & 255}`,
      env: 'vm',
      system_name: 'Debian GNU/Linux 13 (trixie)',
      package: { version: 1, timestamp: START_S },
      dependency: { stap_version: '5.1', odb_version: '1' },
      system_version: {
        kernel: '6.12.1',
        kernel_package: 'linux-image-6.12.1',
        kernel_bid: '',
        kernel_distro: 'debian',
        libc: '2.41',
      },
      boot_time: START_S - 1_000_000 - i,
      started: START_S - 500_000 - i,
    };
    const { id, secret } = await this.#client.agent.register({ body });
    const host = { id, index: i, secret, name, site, role, phaseS: (i * 5) % 30, seq: 0 };
    this.hosts.push(host);
    await this.report(host, {}, []);
    await this.#client.agent.update({ params: { id }, body: { labels: { site, role } } });
  }

  /** Runs requests, several at once. */
  async together(work: readonly (() => Promise<void>)[]): Promise<void> {
    let next = 0;
    const run = async () => {
      for (let i = next++; i < work.length; i = next++) await work[i]?.();
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, work.length) }, run));
  }

  get nowS(): number {
    return this.#nowMs / 1000;
  }

  /** Lets time pass for the server. */
  passTo(atS: number): void {
    this.#nowMs = Math.max(this.#nowMs, atS * 1000);
  }

  /** Sends a heartbeat. */
  async report(host: Host, facts: AgentFacts, changes: readonly ObservedChange[]): Promise<void> {
    const sent = changes.map(({ atS, ...change }) => ({ ...change, seq: ++host.seq, ago: this.nowS - atS }));
    const body = sent.length === 0 ? facts : { ...facts, changes: sent };
    const answer = await this.#secret.run(host.secret, () =>
      this.#client.agent.heartbeat({ params: { id: host.id }, body }, { idempotent: true }),
    );
    if (sent.length === 0 || answer.changes_stored !== undefined) return;
    this.missing.add('changes in heartbeats');
    await this.#server.deps.db.write(async ({ sql }) => {
      for (const { atS, kind, field, from, to } of changes) {
        await sql.run(ADD, host.id, atS * 1000, kind, field, '', from, to);
      }
    });
  }

  /** Reports that an agent stops. */
  async shutDown({ id, secret }: Host): Promise<void> {
    await this.#secret.run(secret, () => this.#client.agent.shutdown({ params: { id } }));
  }

  /** Sends lines with the secret of an agent, by their times. */
  async log(
    { secret }: Host,
    lines: readonly { readonly log: string; readonly atS: number; readonly count: number }[],
  ) {
    const body = lines.map(({ log, atS, count }) => ({ level: 'error', log, log_time: atS, count }));
    await this.#secret.run(secret, () => this.#client.errlog.append({ body, query: {} }));
  }

  /** Reports a change from outside. */
  async change(hosts: readonly Host[], change: OutsideChange): Promise<void> {
    const response = await fetch(`${this.#server.url}/admin-api/change`, {
      method: 'POST',
      headers: { 'api-token': this.#admin, 'content-type': 'application/json' },
      body: JSON.stringify({ ...change, hosts: hosts.map(({ name }) => name) }),
    });
    const text = await response.text();
    if (response.ok) return;
    if (response.status !== 404) throw new Error(`POST /admin-api/change: ${response.status} ${text}`);
    this.missing.add('changes from outside');
    const { kind, name, before, after } = change;
    await this.#server.deps.db.write(async ({ sql }) => {
      for (const { id } of hosts) await sql.run(ADD, id, this.#nowMs, 'change', kind, name, before, after);
    });
  }

  /** Switches a setting of agents on, as an administrator does. */
  async switchOn(hosts: readonly Host[]): Promise<void> {
    await this.#update(idsOf(hosts), { autorun_tools: true });
    for (const { id } of hosts) this.#touched.add(id);
  }

  /** Takes back what administrators changed, long before the next incident. */
  async tidy(): Promise<void> {
    const touched = this.hosts.filter(({ id }) => this.#touched.has(id));
    if (touched.length === 0) return;
    await this.#update(idsOf(touched), { autorun_tools: false });
    await this.#label(touched, {});
    this.#touched.clear();
  }

  /** Gives agents a label, as an administrator does. */
  async label(hosts: readonly Host[], name: string, value: string): Promise<void> {
    await this.#label(hosts, { [name]: value });
    for (const { id } of hosts) this.#touched.add(id);
  }

  async #label(hosts: readonly Host[], labels: Record<string, string>): Promise<void> {
    for (const site of SITES) {
      for (const role of ROLES) {
        const ids = idsOf(hosts.filter((host) => host.site === site && host.role === role));
        if (ids.length > 0) await this.#update(ids, { labels: { site, role, ...labels } });
      }
    }
  }

  #update = (ids: number[], change: { autorun_tools?: boolean; labels?: Record<string, string> }) =>
    this.#client.agent.bulk({ body: { ids, action: 'update', ...change }, query: {} });

  /** Declares silent hosts lost, while all others have reported. */
  async sweep(silent: readonly Host[]): Promise<void> {
    const { deps, jobs } = this.#server;
    const names = JSON.stringify(silent.map(({ name }) => name));
    await deps.db.write(({ sql }) => sql.run(TOUCH, this.#nowMs, names));
    await jobs.runAll();
  }

  /** Returns the id of the group of a text. */
  async groupOf(log: string): Promise<number> {
    const { data } = await this.#client.errlog.list({ query: { page_size: 1 } });
    const [group] = data;
    if (group?.log !== log) throw new Error(`the newest group is ${group?.log}, not ${log}`);
    return group.id;
  }

  /** Asks the server for the changes before an error. */
  async ask(id: number): Promise<ErrlogChanges> {
    return this.#client.errlog.changes({ params: { id }, query: {} });
  }

  /** Reads the history of a span. */
  async history(fromS: number, toS: number): Promise<readonly HistoryLine[]> {
    return this.#server.deps.db.read.sql.all<HistoryLine>(HISTORY, fromS * 1000, toS * 1000);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

const idsOf = (hosts: readonly Host[]) => hosts.map(({ id }) => id);
