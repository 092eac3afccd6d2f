// `pnpm bench:odd [--from SEED]`: fleets of 40 to 400 hosts with everyday differences. In each, a drift is planted on
// the failing hosts. Prints how often the drift comes first, and the time for 10,000 hosts.
import { parseArgs } from 'node:util';
import type { Database, SqlValue } from '../packages/core/src/db/open/index.ts';
import { built } from './built.ts';
import { randomFrom } from './lines.ts';
import { quantile } from './load.ts';
import { newFolder } from './processes.ts';
import { ms } from './report.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');
const { findOdd } = await built('apps/server/dist/features/suspects/odd-one-out.js');

const { values } = parseArgs({ options: { from: { type: 'string', default: '1' } } });
const FIRST_SEED = Number(values.from);
const FLEETS = 100;
const HOSTS_MIN = 40;
const HOSTS_MAX = 400;
const MANY_HOSTS = 10_000;
const RUNS = 20;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const AGENT = statement(
  `INSERT INTO agent (node_id, hostname, kernel, libc, system_name, package_version, secret_hash, interval_s,
     last_reported_ms, created_ms, modified_ms) VALUES (?, ?, ?, ?, ?, ?, ?, 30, ?, ?, ?) RETURNING id`,
);
const LABEL = statement('INSERT INTO agent_label (agent_id, name, value) VALUES (?, ?, ?)');
const CHANGE = statement(
  "INSERT INTO agent_change (agent_id, time_ms, kind, field, before, after) VALUES (?, ?, ?, ?, 'x', ?)",
);
const CERTIFICATE = statement(
  `INSERT INTO agent_certificate (agent_id, place, subject, issuer, fingerprint, expire_ms, found_ms)
   VALUES (?, ?, 'CN=shop', 'CN=ca', ?, ?, ?)`,
);
const VITALS = statement(
  `INSERT INTO agent_vitals (agent_id, hour, seen_ms, cpu, memory, disk, load, max_cpu, max_memory, max_disk, max_load, data)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);

/** Sort of a planted drift -> the fields that name it. */
const DRIFTS = {
  kernel: 'system_version.kernel',
  libc: 'system_version.libc',
  package: 'openssl',
  config: '/etc/nginx/upstream.conf',
  certificate: '/etc/ssl/shop.pem',
  expired: '/etc/ssl/shop.pem',
  disk: 'disk',
  memory: 'memory',
  dns: '/etc/resolv.conf',
  unit: 'php8.3-fpm.service',
} as const;
type Drift = keyof typeof DRIFTS;
const SORTS = Object.keys(DRIFTS) as Drift[];

interface PlantedFleet {
  readonly failing: readonly number[];
  readonly drift: Drift;
}

/** Adds hosts with everyday differences: kernels, packages that some have changed, certificates of their own. */
async function addFleet(db: Database, hosts: number, seed: number, nowMs: number): Promise<PlantedFleet> {
  const random = randomFrom(seed);
  const drift = SORTS[Math.floor(random() * SORTS.length)] as Drift;
  const site = `site-${seed}`;
  const failingCount = 1 + Math.floor(random() * Math.min(20, hosts / 8));
  const failing: number[] = [];
  const bornMs = nowMs - 90 * DAY_MS;
  await db.write(async ({ sql }) => {
    for (let i = 0; i < hosts; i += 1) {
      const fails = i < failingCount;
      const has = (name: Drift) => fails && drift === name;
      const kernel = has('kernel') ? '6.12.9' : random() < 0.8 ? '6.12.1' : '6.11.7';
      const libc = has('libc') ? '2.36-9' : random() < 0.9 ? '2.41-12' : '2.40-1';
      const facts = [`node-${seed}-${i}`, `gw-${seed}-${i}`, kernel, libc, 'Debian 13', random() < 0.85 ? 7 : 6];
      const times = [nowMs, bornMs, bornMs];
      const row = await sql.get<{ id: number }>(AGENT, ...facts, Buffer.from(`${seed}-${i}`), ...times);
      const id = row?.id ?? 0;
      if (fails) failing.push(id);
      await sql.run(LABEL, id, 'site', site);
      await sql.run(LABEL, id, 'rack', String(Math.floor(random() * 12)));
      const changedMs = () => nowMs - Math.floor(random() * 10 * DAY_MS) - HOUR_MS;
      const change = (kind: string, field: string, after: string) =>
        sql.run(CHANGE, id, changedMs(), kind, field, after);
      for (const name of ['curl', 'tzdata', 'vim', 'perl']) {
        if (random() < 0.3) await change('package', name, `1.${Math.floor(random() * 3)}`);
      }
      if (random() < 0.2) await change('config', '/etc/nginx/nginx.conf', `${i}`);
      if (random() < 0.15) await change('unit', 'nginx.service', 'active');
      if (has('package')) await change('package', 'openssl', '3.5.1');
      if (has('config')) await change('config', '/etc/nginx/upstream.conf', `${i}`);
      if (has('dns')) await change('dns', '/etc/resolv.conf', '10.0.0.9');
      if (has('unit')) await change('unit', 'php8.3-fpm.service', 'failed');
      const expireMs = has('expired') ? nowMs - DAY_MS : nowMs + 60 * DAY_MS;
      await sql.run(CERTIFICATE, id, '/etc/ssl/shop.pem', has('certificate') ? 'old' : 'new', expireMs, bornMs);
      await sql.run(CERTIFICATE, id, '/etc/ssl/host.pem', `own-${i}`, nowMs + 60 * DAY_MS, bornMs);
      const percent = (name: Drift, usual: number) => Math.floor((has(name) ? 960 : usual * 1_000) + random() * 30);
      const used = [300 + Math.floor(random() * 550), percent('memory', 0.5), percent('disk', 0.6), 400];
      const row2: SqlValue[] = [id, Math.floor(nowMs / HOUR_MS), nowMs, ...used, ...used, Buffer.alloc(0)];
      await sql.run(VITALS, ...row2);
    }
  });
  return { failing, drift };
}

const dir = newFolder();
const db = await openDatabase({ kind: 'sqlite', dataDir: dir });
try {
  const nowMs = Date.now();
  const found = { first: 0, third: 0 };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + FLEETS; seed += 1) {
    const hosts = HOSTS_MIN + Math.floor(randomFrom(seed + 100_000)() * (HOSTS_MAX - HOSTS_MIN + 1));
    const { failing, drift } = await addFleet(db, hosts, seed, nowMs);
    const { data } = await findOdd(db, { failing, atMs: nowMs, service: '' }, nowMs);
    const place = data.findIndex(({ field }) => field.replace(' (validity)', '') === DRIFTS[drift]);
    if (place === 0) found.first += 1;
    if (place >= 0 && place < 3) found.third += 1;
    if (place !== 0) {
      const [top] = data;
      console.log(
        `  seed ${seed}: ${drift} on ${failing.length} of ${hosts} at place ${place + 1}; first ${top?.kind} ${top?.field}`,
      );
    }
    await db.write(async ({ prisma }) => {
      await prisma.agent.deleteMany({});
    });
  }
  console.log(`drifts named first: ${found.first} of ${FLEETS}, among the first three: ${found.third}`);
  const { failing } = await addFleet(db, MANY_HOSTS, FIRST_SEED, nowMs);
  const times: number[] = [];
  for (const atMs of [nowMs, nowMs - 2 * HOUR_MS]) {
    times.length = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const startedAt = performance.now();
      await findOdd(db, { failing, atMs, service: '' }, nowMs);
      times.push(performance.now() - startedAt);
    }
    const when = atMs === nowMs ? 'now' : 'two hours ago';
    console.log(`${MANY_HOSTS} hosts, ${when}: median ${ms(quantile(times, 0.5))}, worst ${ms(Math.max(...times))}`);
  }
} finally {
  await db.close();
}
