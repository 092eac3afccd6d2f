// Simulated agents: facts, reports and batches in the form in which the agent sends them.
import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type GatewayLine, gatewayLines } from '../gateway-lines.ts';
import { as, type FleetClient } from './connections.ts';

/** An enrolled agent. */
export interface SimulatedAgent {
  readonly id: number;
  readonly secret: string;
  readonly client: FleetClient;
  /** Its connections. */
  pool: Agent;
  packageVersion: number;
  /** It sends its vitals with every second report. */
  hasVitals: boolean;
  /** Lines that it has shipped. */
  lines: number;
  batches: number;
}

/** One call of an agent. */
export type Action = (agent: SimulatedAgent) => Promise<unknown>;

const factsOf = (i: number) => ({
  hostname: `gw-${i}.example.com`,
  ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
  env: 'vm',
  system_name: 'Debian GNU/Linux 13 (trixie)',
  bad_kernel: false,
  progress: { current: 100, detail: '' },
  package: { version: 1, timestamp: 1_790_000_000 },
  dependency: { stap_version: '', odb_version: '' },
  system_version: {
    kernel: '6.12.1-amd64',
    kernel_package: 'linux-image-6.12',
    kernel_bid: 'c3a1b5e0f2d44b8fa0be7c1d2e3f405162738495',
    kernel_distro: 'debian',
    libc: '2.41',
  },
  boot_time: 1_790_000_000 + i,
  started: 1_790_000_100 + i,
});

export async function enroll(client: FleetClient, token: string, i: number, pool: Agent): Promise<SimulatedAgent> {
  const node_id = `${i.toString(16).padStart(8, '0')}-7b1e-4c7a-9f0e-2d5a6c3b1f00`;
  const body = { node_id, ...factsOf(i) };
  const { id, secret } = await as({ secret: token, pool }, () => client.agent.register({ body }));
  return { id, secret, client, pool, packageVersion: 1, hasVitals: false, lines: 0, batches: 0 };
}

const send = ({ id, secret, client, pool }: SimulatedAgent, body: object) =>
  as({ secret, pool }, () => client.agent.heartbeat({ params: { id }, body }, { idempotent: true }));

const shipperOf = ({ lines }: SimulatedAgent) => ({
  files: 2,
  lines,
  bytes_waiting: 0,
  lines_dropped: 0,
  lines_refused: 0,
});

/** A heartbeat of an agent that ships no logs. */
export const emptyHeartbeat: Action = (agent) => send(agent, {});

/** A heartbeat of an agent that ships logs: their status is a part of each. */
export const heartbeat: Action = (agent) => send(agent, { shipper: shipperOf(agent) });

const GIB = 1024 ** 3;

/** A heartbeat with vitals, as an agent sends it once a minute. */
export const vitals: Action = (agent) => {
  const busy = (agent.id % 70) + 10.5;
  const disk = {
    '/': { used: busy * GIB, free: 40 * GIB },
    '/var/log': { used: 2 * busy * GIB, free: 300 * GIB },
    '/boot': { used: 134_217_728, free: 402_653_184 },
  };
  const host = { cpu: busy, memory: busy, swap: 0, disk, load: [busy / 10, 3.25, 2.5], cores: 8 };
  return send(agent, { shipper: shipperOf(agent), vitals: { ...host, uptime: 864_000, fds: 2_100, tcp: 340 } });
};

/** The heartbeats of an agent in turns: with vitals once a minute. */
export const report: Action = (agent) => {
  agent.hasVitals = !agent.hasVitals;
  return agent.hasVitals ? vitals(agent) : heartbeat(agent);
};

/** A heartbeat with a changed fact. */
export const change: Action = (agent) => {
  agent.packageVersion += 1;
  const { packageVersion: version } = agent;
  return send(agent, { package: { version, timestamp: 1_790_000_000 + version }, shipper: shipperOf(agent) });
};

/** Lines of a batch: a host with a problem now and then. */
export const BATCH_LINES = 10;
const BATCHES = 512;

const bodies = Array.from({ length: BATCHES }, (_, seed) => {
  const source = gatewayLines(seed, Math.floor(Date.now() / 1000), BATCH_LINES);
  const lines = Array.from({ length: BATCH_LINES }, () => {
    const { host: _host, ...line } = source.next().value as GatewayLine;
    return `${JSON.stringify(line)}\n`;
  });
  return gzipSync(lines.join(''));
});

/** A batch of lines: compressed, under a key of its own and with the numbers of the spool. */
export const ship: Action = async (agent) => {
  agent.batches += 1;
  agent.lines += BATCH_LINES;
  const { secret, client, pool, batches, lines, id } = agent;
  const numbers = { spool: `spool-${id}`, number: batches, read: lines, dropped: {} };
  const headers = {
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
    'idempotency-key': randomUUID(),
    'quarterdeck-batch': JSON.stringify(numbers),
  };
  const batch = { body: bodies[(id * 7 + batches) % BATCHES] as Buffer, headers };
  const { refused } = await as({ secret, pool, batch }, () => client.errlog.append({ body: [] }, { idempotent: true }));
  if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused[0])}`);
};
