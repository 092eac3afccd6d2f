// All facts of specification 2.4 together. Cheap ones are read each time, those that run a command every ten minutes.
import { endianness } from 'node:os';
import type { Agent } from '@quarterdeck/core';
import { readAddress } from './address.ts';
import { readEnvironment } from './environment.ts';
import type { Host } from './host.ts';
import { readHostname } from './hostname.ts';
import { readBuildId, readKernelPackage, readRelease } from './kernel.ts';
import { readLibc } from './libc.ts';
import { readDistribution } from './os-release.ts';
import type { OwnPackage } from './package.ts';
import { readDependency, type Tools } from './tools.ts';

/**
 * What the agent knows of its host. `note`, `catch_transient_event` and `autorun_tools` are set by people on the server
 * and are not the agent's to say.
 */
export type Facts = Pick<
  Agent,
  'hostname' | 'ip' | 'env' | 'system_name' | 'bad_kernel' | 'progress' | 'package' | 'dependency' | 'system_version'
>;

/** Reads the facts as they are now. */
export type CollectFacts = () => Promise<Facts>;

/** What {@link createCollector} needs. */
export interface CollectorOptions {
  readonly host: Host;
  readonly ownPackage: OwnPackage;
  readonly tools: Tools;
  /** A clock that only moves forward, in milliseconds. */
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

/** Makes the function that reads all facts. */
export function createCollector(options: CollectorOptions): CollectFacts {
  const { host, ownPackage, monotonicMs } = options;
  let costly: { readonly atMs: number; readonly facts: Awaited<ReturnType<typeof readCostly>> } | undefined;

  return async () => {
    if (costly === undefined || monotonicMs() - costly.atMs >= COSTLY_EVERY_MS) {
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
      progress: { current: 0, detail: '' },
      package: ownPackage,
      dependency,
      system_version: {
        kernel_package: kernelPackage,
        kernel_bid: buildId,
        kernel_distro: distribution.release,
        libc,
        kernel: readRelease(host),
      },
    };
  };
}
