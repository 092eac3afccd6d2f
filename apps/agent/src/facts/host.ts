// All that a fact reader may ask: the host's files, its commands, and what the runtime knows. Tests hand in a tree instead.
import { hostname, type NetworkInterfaceInfo, networkInterfaces, release } from 'node:os';
import { z } from 'zod';
import type { Exec } from './exec.ts';
import { type Files, filesBelow } from './files.ts';

/** Addresses of the network interfaces, by name. */
export type Interfaces = Readonly<
  Record<string, readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[] | undefined>
>;

/** What the runtime knows of the system under it. */
export interface System {
  hostname(): string;
  /** `uname -r`. */
  release(): string;
  interfaces(): Interfaces;
  /** Version of the GNU C library that this process runs with; '' with another one. */
  glibcVersion(): string;
  /** Whether the environment says that this is a pod. */
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
  // Without this the report looks up the names of all peers. (Missing in Node's types.)
  Object.assign(process.report, { excludeNetwork: true });
  const report = Report.safeParse(process.report.getReport());
  return report.success ? report.data.header.glibcVersionRuntime : '';
}

/** Asks the runtime, which throws where a sandbox does not let it ask (a socket for the interfaces, for example). */
function ask<T>(question: () => T, otherwise: T): T {
  try {
    return question();
  } catch {
    return otherwise;
  }
}

/** The host this process runs on. */
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
