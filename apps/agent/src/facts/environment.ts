// What kind of place this is: a pod, a container, a virtual machine, or bare metal.
import type { Files } from './files.ts';
import type { Host } from './host.ts';

/** The kinds of place the agent tells apart. */
export type Environment = 'host' | 'vm' | 'container' | 'kubernetes' | 'unknown';

// A control group of process 1 that only something which runs containers makes. On a host, process 1 is at the root or
// in init.scope.
const CONTAINER_GROUP = /docker|containerd|libpod|podman|buildkit|crio|\/lxc|garden|machine\.slice|\/ecs\//;
const POD_GROUP = /kubepods/;

const VIRTUAL_HARDWARE =
  /\b(kvm|qemu|bochs|vmware|virtualbox|innotek|xen|bhyve|parallels|openstack|ovirt|rhev|nutanix|virtual machine|google compute engine|amazon ec2|alibaba cloud ecs|digitalocean|droplet|hetzner|vserver|apple virtualization|firecracker)\b/i;
// Clouds name their bare machines as they name their virtual ones, but for this.
const BARE_CLOUD = /\.metal\b|\bbare ?metal\b/i;

/** Whether the DMI names (vendor and product) are those of a virtual machine. */
export const isVirtualHardware = (names: string): boolean => VIRTUAL_HARDWARE.test(names) && !BARE_CLOUD.test(names);

/** Whether `/proc/cpuinfo` has the flag a hypervisor shows its guests. */
export const hasHypervisorFlag = (cpuinfo: string): boolean => /^flags\s*:.*\bhypervisor\b/m.test(cpuinfo);

/** Whether the root of this process is an overlay, which is how images are run. */
export function isOverlayRoot(mountinfo: string): boolean {
  // proc_pid_mountinfo(5): the fifth field is the mount point; after a lone `-` comes the type of file system.
  return mountinfo.split('\n').some((line) => {
    const fields = line.split(' ');
    return fields[4] === '/' && fields[fields.indexOf('-') + 1] === 'overlay';
  });
}

// Numbers the kernel gives to the namespaces it starts with (include/linux/proc_ns.h); everything else was made later.
const FIRST_NAMESPACES = { cgroup: 4026531835, pid: 4026531836, uts: 4026531838, ipc: 4026531839 };

/** Whether this process is in the namespaces the kernel started with, all of them. */
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
  // These files belong to the image, and images are also booted as machines: then nothing contains this process.
  if (!(await files.exists('/.dockerenv')) && !(await files.exists('/run/.containerenv'))) return false;
  return !(await isInFirstNamespaces(files)) || isOverlayRoot(await files.text('/proc/self/mountinfo'));
}

async function isVirtual({ files }: Host): Promise<boolean> {
  const dmi = await Promise.all(['sys_vendor', 'product_name'].map((name) => files.text(`/sys/class/dmi/id/${name}`)));
  const names = dmi.join(' ');
  if (isVirtualHardware(names)) return true;
  if (BARE_CLOUD.test(names)) return false;
  // Xen's first domain sees the hypervisor too, but it is the host.
  if (/control_d/.test(await files.text('/proc/xen/capabilities'))) return false;
  if ((await files.text('/sys/hypervisor/type')).trim() !== '') return true;
  if (await files.exists('/proc/device-tree/hypervisor')) return true;
  return hasHypervisorFlag(await files.text('/proc/cpuinfo'));
}

/** What kind of place this is; `unknown` where there is nothing to tell it by. */
export async function readEnvironment(host: Host): Promise<Environment> {
  const group = await host.files.text('/proc/1/cgroup');
  if (await isPod(host, group)) return 'kubernetes';
  if (await isContainer(host, group)) return 'container';
  if (await isVirtual(host)) return 'vm';
  return (await host.files.exists('/proc/cpuinfo')) ? 'host' : 'unknown';
}
