import { describe, expect, it } from 'vitest';
import { hasHypervisorFlag, isOverlayRoot, isVirtualHardware, readEnvironment } from '../src/facts/environment.ts';
import { FIRST_NAMESPACES, type HostPlan, hostOf } from './host-tree.ts';
import { alpine, debian, docker, kubernetes, rocky, ubuntuVm } from './hosts.ts';

const bare = (files: Record<string, string>): HostPlan => ({
  files: { '/proc/cpuinfo': 'flags\t: fpu\n', ...files },
  links: FIRST_NAMESPACES,
});
const OVERLAY_ROOT = '27 1 0:53 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/l\n';
const DISK_ROOT = '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n40 27 0:53 / /mnt rw - overlay overlay rw\n';

describe('readEnvironment', () => {
  it.each<[string, string, HostPlan]>([
    ['host', 'bare Debian', debian],
    ['host', 'bare Rocky', rocky],
    ['host', 'bare Alpine', alpine],
    ['vm', 'a KVM guest', ubuntuVm],
    ['vm', 'a guest that only its CPU gives away', bare({ '/proc/cpuinfo': 'flags\t: fpu hypervisor\n' })],
    ['vm', 'a Xen guest', bare({ '/sys/hypervisor/type': 'xen\n' })],
    ['host', "Xen's first domain", bare({ '/sys/hypervisor/type': 'xen\n', '/proc/xen/capabilities': 'control_d\n' })],
    ['vm', 'an ARM guest', bare({ '/proc/device-tree/hypervisor/compatible': 'linux,kvm\0' })],
    ['container', 'docker', docker],
    ['container', 'docker on cgroup v1', bare({ '/proc/1/cgroup': '5:devices:/docker/0123abcd\n' })],
    ['container', 'podman', { ...bare({ '/run/.containerenv': '' }), links: {} }],
    ['container', 'lxc', bare({ '/proc/1/environ': 'PATH=/bin\0container=lxc\0' })],
    ['container', 'systemd-nspawn', bare({ '/run/systemd/container': 'systemd-nspawn\n' })],
    ['container', "docker in the host's namespaces", bare({ '/.dockerenv': '', '/proc/self/mountinfo': OVERLAY_ROOT })],
    [
      'vm',
      'a machine booted from an image made for docker',
      bare({ '/.dockerenv': '', '/proc/self/mountinfo': DISK_ROOT, '/proc/cpuinfo': 'flags\t: hypervisor\n' }),
    ],
    ['kubernetes', 'a pod, by its service account', kubernetes],
    ['kubernetes', 'a pod, by its environment', { ...docker, inKubernetes: true }],
    [
      'kubernetes',
      'a pod, by its control group',
      bare({ '/proc/1/cgroup': '0::/kubepods.slice/x/cri-containerd-y\n' }),
    ],
    ['unknown', 'nothing to tell it by', {}],
  ])('says %s for %s', async (expected, _, plan) => {
    expect(await readEnvironment(await hostOf(plan))).toBe(expected);
  });
});

describe('isVirtualHardware', () => {
  it.each<[boolean, string]>([
    [true, 'QEMU Standard PC'],
    [true, 'VMware, Inc. VMware7,1'],
    [true, 'innotek GmbH VirtualBox'],
    [true, 'Microsoft Corporation Virtual Machine'],
    [false, 'Microsoft Corporation Surface Laptop'],
    [true, 'Google Google Compute Engine'],
    [true, 'Amazon EC2 m5.large'],
    [false, 'Amazon EC2 m5.metal'],
    [false, 'Amazon EC2 m7i.metal-24xl'],
    [true, 'Hetzner vServer'],
    [true, 'DigitalOcean Droplet'],
    [false, 'LENOVO 20XW'],
    [false, ''],
  ])('says %s for "%s"', (expected, names) => {
    expect(isVirtualHardware(names)).toBe(expected);
  });
});

describe('hasHypervisorFlag', () => {
  it.each<[boolean, string]>([
    [true, 'flags\t\t: fpu hypervisor'],
    [true, 'processor: 0\nflags : hypervisor\n'],
    [false, 'flags\t\t: fpu'],
    [false, 'model name : hypervisor\nflags : fpu'],
    [false, ''],
  ])('says %s for %j', (expected, cpuinfo) => {
    expect(hasHypervisorFlag(cpuinfo)).toBe(expected);
  });
});

describe('isOverlayRoot', () => {
  it.each<[boolean, string]>([
    [true, OVERLAY_ROOT],
    [false, DISK_ROOT],
    [false, ''],
    [false, '- overlay'],
    [false, ' '.repeat(200_000)],
  ])('says %s', (expected, mountinfo) => {
    expect(isOverlayRoot(mountinfo)).toBe(expected);
  });
});
