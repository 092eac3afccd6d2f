// Hosts made of a few files, as a fact reader would find them on real systems.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CommandOutput } from '../src/facts/exec.ts';
import { filesBelow } from '../src/facts/files.ts';
import type { Host, Interfaces, System } from '../src/facts/host.ts';
import type { Command } from '../src/settings/config-values.ts';
import { temporaryFolder } from './temporary.ts';

export interface HostPlan {
  /** Path -> content. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Path -> target of the link. */
  readonly links?: Readonly<Record<string, string>>;
  /** Command with its words -> its output. Other commands fail. */
  readonly commands?: Readonly<Record<string, Partial<CommandOutput>>>;
  readonly interfaces?: Interfaces;
  readonly hostname?: string;
  readonly release?: string;
  readonly glibc?: string;
  readonly inKubernetes?: boolean;
}

/** A host that records the commands run on it. */
export interface PlannedHost extends Host {
  readonly ran: string[];
}

const ETH0: Interfaces = { eth0: [{ address: '198.51.100.7', family: 'IPv4', internal: false }] };

/** Links of the kernel's initial namespaces. */
export const FIRST_NAMESPACES = {
  '/proc/self/ns/cgroup': 'cgroup:[4026531835]',
  '/proc/self/ns/pid': 'pid:[4026531836]',
  '/proc/self/ns/uts': 'uts:[4026531838]',
  '/proc/self/ns/ipc': 'ipc:[4026531839]',
};

export async function hostOf(plan: HostPlan): Promise<PlannedHost> {
  const root = await temporaryFolder();
  const place = async (path: string): Promise<string> => {
    const full = join(root, path);
    await mkdir(dirname(full), { recursive: true });
    return full;
  };
  for (const [path, content] of Object.entries(plan.files ?? {})) await writeFile(await place(path), content);
  for (const [path, target] of Object.entries(plan.links ?? {})) await symlink(target, await place(path));

  const ran: string[] = [];
  const exec = async (command: Command): Promise<CommandOutput> => {
    const words = command.join(' ');
    ran.push(words);
    const output = plan.commands?.[words];
    return { ok: output !== undefined, stdout: '', stderr: '', ...output };
  };
  const system: System = {
    hostname: () => plan.hostname ?? 'web-1',
    release: () => plan.release ?? '6.1.0-18-amd64',
    interfaces: () => plan.interfaces ?? ETH0,
    glibcVersion: () => plan.glibc ?? '',
    inKubernetes: plan.inKubernetes ?? false,
  };
  return { files: filesBelow(root), exec, system, ran };
}
