// Sources of facts: files, commands and the runtime of the host. Tests pass a prepared tree instead.
import { hostname, type NetworkInterfaceInfo, networkInterfaces, release } from 'node:os';
import { z } from 'zod';
import type { Exec } from './exec.ts';
import { type Files, filesBelow } from './files.ts';

/** Addresses of the network interfaces, by name. */
export type Interfaces = Readonly<
  Record<string, readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[] | undefined>
>;

/** Facts that the runtime knows about its system. */
export interface System {
  hostname(): string;
  /** `uname -r`. */
  release(): string;
  interfaces(): Interfaces;
  /** Version of the GNU C library of this process; '' with another C library. */
  glibcVersion(): string;
  /** True when the environment is that of a Kubernetes pod. */
  readonly inKubernetes: boolean;
}

/** The host as fact readers see it. */
export interface Host {
  readonly files: Files;
  readonly exec: Exec;
  readonly system: System;
}

const Report = z.object({ header: z.object({ glibcVersionRuntime: z.string().default('') }) });

function glibcVersion(): string {
  // Without this option the report resolves the names of all peers. (Missing in Node's types.)
  Object.assign(process.report, { excludeNetwork: true });
  const report = Report.safeParse(process.report.getReport());
  return report.success ? report.data.header.glibcVersionRuntime : '';
}

/** Calls the runtime, which throws where a sandbox forbids it (a socket for the interfaces, for example). */
function ask<T>(question: () => T, otherwise: T): T {
  try {
    return question();
  } catch {
    return otherwise;
  }
}

/** The host of this process. */
export function thisHost(exec: Exec, inKubernetes: boolean): Host {
  return {
    files: filesBelow('/'),
    exec,
    system: {
      hostname: () => ask(hostname, ''),
      release: () => ask(release, ''),
      interfaces: () => ask(networkInterfaces, {}),
      glibcVersion: () => ask(glibcVersion, ''),
      inKubernetes,
    },
  };
}
