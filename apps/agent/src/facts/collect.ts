// Collects all facts of specification 2.4, the boot time of the host and the start time of the agent. Cheap facts are
// read each time, those that run a command every ten minutes.
import { endianness } from 'node:os';
import type { Agent, AgentSettings } from '@quarterdeck/core';
import { readAddress } from './address.ts';
import { clean } from './clean.ts';
import { readEnvironment } from './environment.ts';
import type { Host } from './host.ts';
import { readBuildId, readKernelPackage, readRelease } from './kernel.ts';
import { readDistribution } from './os-release.ts';
import type { OwnPackage } from './package.ts';
import { readDependency, type Tools } from './tools.ts';

/** Finds the version in the usage text of musl's `ldd`; '' for another C library. */
export function parseMuslVersion(text: string): string {
  return /^musl libc\b[^\n]*\n\s*Version\s+([\w.+-]{1,40})/m.exec(text)?.[1] ?? '';
}

/** Detects the C library and its version, e.g. `glibc 2.36` or `musl 1.2.5`; '' for any other. */
async function readLibc({ system, exec }: Host): Promise<string> {
  const glibc = clean(system.glibcVersion(), 40);
  if (glibc !== '') return `glibc ${glibc}`;
  // musl's ldd prints its usage to stderr and fails.
  const { stdout, stderr } = await exec(['ldd', '--version']);
  const musl = parseMuslVersion(`${stdout}\n${stderr}`);
  return musl === '' ? '' : `musl ${musl}`;
}

const MAX_LENGTH = 255;

/** Reads the kernel's host name; `localhost` without one, because the server requires a name. */
function readHostname({ system }: Host): string {
  return clean(system.hostname(), MAX_LENGTH) || 'localhost';
}

/** Reads the boot time of the host from the kernel in Unix seconds; 0 when unknown. */
async function readBootTime({ files }: Host): Promise<number> {
  return Number(/^btime (\d{1,12})$/m.exec(await files.text('/proc/stat'))?.[1] ?? 0);
}

/** Facts that the agent observes on its host. */
export type HostFacts = Pick<
  Agent,
  'hostname' | 'ip' | 'env' | 'system_name' | 'bad_kernel' | 'package' | 'dependency' | 'system_version'
> & {
  /** Unix seconds; 0 when unknown. */
  readonly boot_time: number;
  /** Start of the agent in Unix seconds; absent when it only enrolls. */
  readonly started?: number;
};

/**
 * Everything the agent reports as a fact. People decide the two settings on the server; the agent reports the values it
 * uses. `note` belongs to the server.
 */
export type Facts = HostFacts & Pick<Agent, 'progress'> & Partial<AgentSettings>;

/** Reads the current facts; with `all` also the expensive ones that are cached otherwise. */
export type CollectFacts = (how?: { readonly all: boolean }) => Promise<HostFacts>;

export interface CollectorOptions {
  readonly host: Host;
  readonly ownPackage: OwnPackage;
  readonly tools: Tools;
  /** Start of the agent in Unix seconds; absent when it only enrolls. */
  readonly startedS?: number | undefined;
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
}

const COSTLY_EVERY_MS = 10 * 60 * 1000;

async function readCostly({ host, tools }: CollectorOptions) {
  const [kernelPackage, libc, dependency] = await Promise.all([
    readKernelPackage(host),
    readLibc(host),
    readDependency(host.exec, tools),
  ]);
  return { kernelPackage, libc, dependency };
}

/** Creates the function that reads all facts. */
export function createCollector(options: CollectorOptions): CollectFacts {
  const { host, ownPackage, startedS, monotonicMs } = options;
  // Read once: the kernel's value moves a little whenever the clock is set.
  let bootTime: number | undefined;
  let costly: { readonly atMs: number; readonly facts: Awaited<ReturnType<typeof readCostly>> } | undefined;

  return async ({ all } = { all: false }) => {
    bootTime ??= await readBootTime(host);
    if (all || costly === undefined || monotonicMs() - costly.atMs >= COSTLY_EVERY_MS) {
      costly = { facts: await readCostly(options), atMs: monotonicMs() };
    }
    const { kernelPackage, libc, dependency } = costly.facts;
    const [ip, env, distribution, buildId] = await Promise.all([
      readAddress(host),
      readEnvironment(host),
      readDistribution(host),
      readBuildId(host, endianness() === 'LE'),
    ]);
    return {
      hostname: readHostname(host),
      ip,
      env,
      system_name: distribution.name,
      bad_kernel: false,
      package: ownPackage,
      dependency,
      system_version: {
        kernel_package: kernelPackage,
        kernel_bid: buildId,
        kernel_distro: distribution.release,
        libc,
        kernel: readRelease(host),
      },
      boot_time: bootTime,
      ...(startedS === undefined ? {} : { started: startedS }),
    };
  };
}
