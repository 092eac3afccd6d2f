// Detects the kind of host: a pod, a container, a virtual machine, or bare metal.
import type { Files } from './files.ts';
import type { Host } from './host.ts';

/** Kinds of host that the agent distinguishes. */
export type Environment = 'host' | 'vm' | 'container' | 'kubernetes' | 'unknown';

// Control groups of process 1 that only container runtimes create. On a host, process 1 is at the root or in
// init.scope.
const CONTAINER_GROUP = /docker|containerd|libpod|podman|buildkit|crio|\/lxc|garden|machine\.slice|\/ecs\//;
const POD_GROUP = /kubepods/;

const VIRTUAL_HARDWARE =
  /\b(kvm|qemu|bochs|vmware|virtualbox|innotek|xen|bhyve|parallels|openstack|ovirt|rhev|nutanix|virtual machine|google compute engine|amazon ec2|alibaba cloud ecs|digitalocean|droplet|hetzner|vserver|apple virtualization|firecracker)\b/i;
// Clouds name bare-metal and virtual machines alike, except for this suffix.
const BARE_CLOUD = /\.metal\b|\bbare ?metal\b/i;

/** Reports whether DMI names (vendor and product) belong to a virtual machine. */
export const isVirtualHardware = (names: string): boolean => VIRTUAL_HARDWARE.test(names) && !BARE_CLOUD.test(names);

/** Reports whether `/proc/cpuinfo` has the flag that hypervisors show to their guests. */
export const hasHypervisorFlag = (cpuinfo: string): boolean => /^flags\s*:.*\bhypervisor\b/m.test(cpuinfo);

/** Reports whether the root file system of this process is an overlay, as container images use it. */
export function isOverlayRoot(mountinfo: string): boolean {
  // proc_pid_mountinfo(5): the fifth field is the mount point; the type of file system follows a lone `-`.
  return mountinfo.split('\n').some((line) => {
    const fields = line.split(' ');
    return fields[4] === '/' && fields[fields.indexOf('-') + 1] === 'overlay';
  });
}

// Numbers of the kernel's initial namespaces (include/linux/proc_ns.h); later namespaces have other numbers.
const FIRST_NAMESPACES = { cgroup: 4026531835, pid: 4026531836, uts: 4026531838, ipc: 4026531839 };

/** Reports whether this process is in all of the kernel's initial namespaces. */
async function isInFirstNamespaces(files: Files): Promise<boolean> {
  const links = await Promise.all(
    Object.entries(FIRST_NAMESPACES).map(async ([name, number]) => {
      const link = await files.link(`/proc/self/ns/${name}`);
      return link === `${name}:[${number}]`;
    }),
  );
  return links.every(Boolean);
}

async function isPod({ files, system }: Host, group: string): Promise<boolean> {
  if (system.inKubernetes || POD_GROUP.test(group)) return true;
  return files.exists('/var/run/secrets/kubernetes.io/serviceaccount');
}

async function isContainer({ files }: Host, group: string): Promise<boolean> {
  if (CONTAINER_GROUP.test(group)) return true;
  if ((await files.text('/run/systemd/container')).trim() !== '') return true;
  if (/(^|\0)container=[^\0]/.test(await files.text('/proc/1/environ'))) return true;
  // The image brings these files, and images also boot as machines. Then no container holds this process.
  if (!(await files.exists('/.dockerenv')) && !(await files.exists('/run/.containerenv'))) return false;
  return !(await isInFirstNamespaces(files)) || isOverlayRoot(await files.text('/proc/self/mountinfo'));
}

async function isVirtual({ files }: Host): Promise<boolean> {
  const dmi = await Promise.all(['sys_vendor', 'product_name'].map((name) => files.text(`/sys/class/dmi/id/${name}`)));
  const names = dmi.join(' ');
  if (isVirtualHardware(names)) return true;
  if (BARE_CLOUD.test(names)) return false;
  // Xen's dom0 sees the hypervisor too, but it is the host.
  if (/control_d/.test(await files.text('/proc/xen/capabilities'))) return false;
  if ((await files.text('/sys/hypervisor/type')).trim() !== '') return true;
  if (await files.exists('/proc/device-tree/hypervisor')) return true;
  return hasHypervisorFlag(await files.text('/proc/cpuinfo'));
}

/** Detects the kind of host; `unknown` without any evidence. */
export async function readEnvironment(host: Host): Promise<Environment> {
  const group = await host.files.text('/proc/1/cgroup');
  if (await isPod(host, group)) return 'kubernetes';
  if (await isContainer(host, group)) return 'container';
  if (await isVirtual(host)) return 'vm';
  return (await host.files.exists('/proc/cpuinfo')) ? 'host' : 'unknown';
}
