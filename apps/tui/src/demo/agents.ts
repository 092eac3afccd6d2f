// Demo agents: hosts of three sites.
import type { AgentReason, AgentState } from '@quarterdeck/core';
import type { Agent } from '@quarterdeck/sdk';
import type { Random } from './random.ts';

const DAY_S = 86_400;
/** Age of each version of the agents, days. */
const BUILT_DAYS: Readonly<Record<number, number>> = { 1031004: 27, 1031003: 36, 1030009: 81 };

const SITES = ['fra', 'iad', 'sin'] as const;
const KINDS = [
  { name: 'edge', count: 6, env: 'host', distro: 'Debian 12', kernel: '6.1.0-25-amd64' },
  { name: 'gateway', count: 4, env: 'host', distro: 'Debian 12', kernel: '6.1.0-25-amd64' },
  { name: 'api', count: 8, env: 'kubernetes', distro: 'Ubuntu 24.04 LTS', kernel: '6.8.0-45-generic' },
  { name: 'db', count: 2, env: 'vm', distro: 'Rocky Linux 9.4', kernel: '5.14.0-427.el9.x86_64' },
  { name: 'build', count: 2, env: 'container', distro: 'Alpine Linux 3.20', kernel: '6.6.31-0-lts' },
] as const;
const BUSY = ['installing package 20417', 'collecting kernel symbols', 'sampling http latency'];

/** Kernels before and after the upgrade. */
export const KERNELS = { before: '6.1.0-25-amd64', after: '6.1.0-26-amd64' } as const;
/** Upgraded hosts; the last one has no errors. */
export const UPGRADED_HOSTS = [
  'edge-fra-1',
  'edge-fra-2',
  'edge-iad-1',
  'edge-iad-2',
  'gateway-fra-1',
  'edge-sin-3',
] as const;
/** Hosts of the open outage. */
export const isInOutage = ({ hostname }: Pick<Agent, 'hostname'>): boolean => /^api-iad-[1-7]$/.test(hostname);
/** Age of the outage, seconds. */
export const OUTAGE_AGO_S = 380;

interface Standing {
  readonly state: AgentState;
  readonly reason: AgentReason;
  /** Age of the last report, seconds; -1: never. */
  readonly reported: number;
}

const ONLINE: Standing = { state: 'online', reason: 'reporting', reported: 0 };
/** Hosts with a special state. */
const SPECIAL: Readonly<Record<string, Standing>> = {
  'build-fra-2': { state: 'offline', reason: 'shut_down', reported: 7_400 },
  'edge-sin-6': { state: 'offline', reason: 'lost', reported: 15_700 },
  'build-iad-1': { state: 'inactive', reason: 'lost', reported: 31 * DAY_S },
  'api-sin-8': { state: 'pending', reason: 'registered', reported: -1 },
  'build-sin-2': { state: 'deleted', reason: 'deleted', reported: 3 * DAY_S },
};

const standingOf = (hostname: string): Standing =>
  isInOutage({ hostname })
    ? { state: 'offline', reason: 'lost', reported: OUTAGE_AGO_S + 40 }
    : (SPECIAL[hostname] ?? ONLINE);

/** Creates the agents at a given time. */
export function makeAgents(random: Random, nowS: number): Agent[] {
  const agents: Agent[] = [];
  for (const [at, site] of SITES.entries()) {
    for (const [row, { name, count, env, distro, kernel }] of KINDS.entries()) {
      for (let n = 1; n <= count; n += 1) {
        const hostname = `${name}-${site}-${n}`;
        const { state, reason, reported } = standingOf(hostname);
        const online = state === 'online';
        const isUpgraded = (UPGRADED_HOSTS as readonly string[]).includes(hostname);
        const ownKernel = isUpgraded ? KERNELS.after : kernel;
        const version = random.chance(0.8) ? 1_031_004 : random.pick([1_031_003, 1_030_009]);
        const created = nowS - random.whole(60, 400) * DAY_S;
        const last = online ? nowS - random.whole(1, 29) : reported < 0 ? 0 : nowS - reported;
        const hasBadKernel = name === 'db';
        agents.push({
          id: agents.length + 1,
          node_id: `${hostname}-${random.whole(100_000, 999_999)}`,
          hostname,
          ip: `10.${20 + at}.${row + 4}.${n + 10}`,
          env,
          online,
          is_deleted: state === 'deleted',
          bad_kernel: hasBadKernel,
          catch_transient_event: name === 'edge',
          autorun_tools: name !== 'db',
          note: name === 'db' ? 'ask the database team before restarting' : '',
          system_name: 'Linux',
          created: state === 'pending' ? nowS - 190 : created,
          modified: nowS - random.whole(60, 9_000),
          last_reported: last,
          progress:
            online && random.chance(0.06)
              ? { current: random.whole(5, 95), detail: random.pick(BUSY) }
              : { current: 0, detail: '' },
          package: { version, timestamp: nowS - (BUILT_DAYS[version] ?? 0) * DAY_S },
          dependency: { stap_version: '5.1', odb_version: '2.3' },
          system_version: {
            kernel_package: `linux-image-${ownKernel}`,
            kernel_bid: `${random.whole(10 ** 11, 9 * 10 ** 11).toString(16)}`,
            kernel_distro: distro,
            libc: distro.startsWith('Alpine') ? 'musl 1.2.5' : 'glibc 2.36',
            kernel: ownKernel,
          },
          interval: 30,
          state,
          reason,
          state_since: online ? nowS - random.whole(2, 40) * DAY_S : state === 'pending' ? nowS - 190 : last + 90,
          maintenance: hostname === 'gateway-sin-2' || hostname === 'build-fra-2',
          labels: {
            site,
            tier: name === 'edge' || name === 'gateway' ? 'front' : 'back',
            ...(n === 1 ? { canary: '' } : {}),
          },
          bad_kernel_reason: hasBadKernel ? 'loses writes on NVMe under memory pressure' : '',
          cloned: hostname === 'build-iad-2',
          boot_time: isUpgraded ? nowS - 5_300 : nowS - random.whole(3, 90) * DAY_S,
          started: nowS - random.whole(3_600, 20 * DAY_S),
          shipper: {
            files: name === 'api' ? 2 : 4,
            lines: random.whole(900, 4_000_000),
            bytes_waiting: online ? 0 : random.whole(2_000, 90_000),
            lines_dropped: 0,
            lines_refused: random.chance(0.1) ? random.whole(1, 40) : 0,
          },
          enrollment_id: random.whole(1, 3),
        });
      }
    }
  }
  return agents;
}
