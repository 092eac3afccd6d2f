// A small fleet: the same few facts on different systems.
import { FIRST_NAMESPACES, type HostPlan } from './host-tree.ts';

/** An ELF note: lengths, type, name and content, padded to four bytes. */
export function note(name: string, type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(12);
  const nameBytes = Buffer.from(`${name}\0`, 'latin1');
  header.writeUInt32LE(nameBytes.length, 0);
  header.writeUInt32LE(content.length, 4);
  header.writeUInt32LE(type, 8);
  const pad = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  return Buffer.concat([header, pad(nameBytes), pad(content)]);
}

/** The build id in {@link KERNEL_NOTES}. */
export const BUILD_ID = '0123456789abcdef0123456789abcdef01234567';

/** Notes as Linux writes them: the build id is one of several. */
export const KERNEL_NOTES = Buffer.concat([
  note('Linux', 0x101, Buffer.from([0, 0, 0, 0])),
  note('Xen', 6, Buffer.from('linux\0')),
  note('GNU', 3, Buffer.from(BUILD_ID, 'hex')),
]);

const BARE_CPU = 'processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu vme sse2 ht\n';
const GUEST_CPU = 'processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu vme hypervisor sse2\n';
const MACHINE_ID = 'd41d8cd98f00b204e9800998ecf8427e\n';

export const debian: HostPlan = {
  files: {
    '/etc/os-release':
      'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n',
    '/etc/machine-id': MACHINE_ID,
    '/proc/1/cgroup': '0::/init.scope\n',
    '/proc/cpuinfo': BARE_CPU,
    '/proc/stat': 'cpu  1 2 3 4\nintr 5 0 0\nctxt 7\nbtime 1795000000\nprocesses 9\n',
    '/proc/net/route':
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n' +
      'eth1\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n',
    '/sys/class/dmi/id/sys_vendor': 'Dell Inc.\n',
    '/sys/class/dmi/id/product_name': 'PowerEdge R650\n',
    '/sys/kernel/notes': KERNEL_NOTES,
    '/var/lib/dpkg/status': '',
  },
  links: FIRST_NAMESPACES,
  interfaces: {
    lo: [{ address: '127.0.0.1', family: 'IPv4', internal: true }],
    eth0: [{ address: '203.0.113.5', family: 'IPv4', internal: false }],
    eth1: [{ address: '192.0.2.17', family: 'IPv4', internal: false }],
  },
  release: '6.1.0-18-amd64',
  glibc: '2.36',
  commands: {
    'dpkg-query -S /boot/vmlinuz-6.1.0-18-amd64': {
      stdout: 'linux-image-6.1.0-18-amd64: /boot/vmlinuz-6.1.0-18-amd64\n',
    },
    'dpkg-query -W -f ${Package} ${Version}\\n linux-image-6.1.0-18-amd64': {
      stdout: 'linux-image-6.1.0-18-amd64 6.1.76-1\n',
    },
  },
};

/** A KVM guest; os-release is in systemd's place. */
export const ubuntuVm: HostPlan = {
  files: {
    '/usr/lib/os-release':
      'PRETTY_NAME="Ubuntu 24.04.1 LTS"\nNAME="Ubuntu"\nVERSION_ID="24.04"\nID=ubuntu\nID_LIKE=debian\n',
    '/etc/machine-id': MACHINE_ID,
    '/proc/1/cgroup': '12:pids:/init.scope\n1:name=systemd:/init.scope\n',
    '/proc/cpuinfo': GUEST_CPU,
    '/sys/class/dmi/id/sys_vendor': 'QEMU\n',
    '/sys/class/dmi/id/product_name': 'Standard PC (Q35 + ICH9, 2009)\n',
    '/var/lib/dpkg/status': '',
  },
  links: { ...FIRST_NAMESPACES, '/etc/os-release': '../usr/lib/os-release' },
  release: '6.8.0-31-generic',
  glibc: '2.39',
};

export const rocky: HostPlan = {
  files: {
    '/etc/os-release':
      'NAME="Rocky Linux"\nVERSION="9.4 (Blue Onyx)"\nID="rocky"\nVERSION_ID="9.4"\nPRETTY_NAME="Rocky Linux 9.4 (Blue Onyx)"\n',
    '/etc/machine-id': MACHINE_ID,
    '/proc/1/cgroup': '0::/init.scope\n',
    '/proc/cpuinfo': BARE_CPU,
    '/usr/lib/sysimage/rpm/rpmdb.sqlite': '',
  },
  links: FIRST_NAMESPACES,
  release: '5.14.0-427.13.1.el9_4.x86_64',
  glibc: '2.34',
  commands: {
    'rpm -q --qf %{NAME} %{VERSION}-%{RELEASE}.%{ARCH}\\n -f /lib/modules/5.14.0-427.13.1.el9_4.x86_64/vmlinuz': {
      stdout: 'kernel-core 5.14.0-427.13.1.el9_4.x86_64\n',
    },
  },
};

export const alpine: HostPlan = {
  files: {
    '/etc/os-release': 'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.20.3\nPRETTY_NAME="Alpine Linux v3.20"\n',
    '/proc/1/cgroup': '',
    '/proc/cpuinfo': BARE_CPU,
  },
  links: FIRST_NAMESPACES,
  release: '6.6.49-0-lts',
  commands: {
    'ldd --version': {
      ok: false,
      stderr: 'musl libc (x86_64)\nVersion 1.2.5\nDynamic Program Loader\nUsage: ldd [options] [--] pathname\n',
    },
  },
};

/** Control groups version 2: the container sees only its own root. */
export const docker: HostPlan = {
  files: {
    '/.dockerenv': '',
    '/etc/os-release': 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n',
    '/etc/machine-id': MACHINE_ID,
    '/proc/1/cgroup': '0::/\n',
    '/proc/cpuinfo': GUEST_CPU,
    '/var/lib/dpkg/status': '',
  },
  links: { ...FIRST_NAMESPACES, '/proc/self/ns/pid': 'pid:[4026532641]' },
  glibc: '2.36',
};

export const kubernetes: HostPlan = {
  ...docker,
  files: {
    '/etc/os-release': 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n',
    '/proc/1/cgroup': '0::/\n',
    '/proc/cpuinfo': GUEST_CPU,
    '/var/run/secrets/kubernetes.io/serviceaccount/token': 'not read by the agent',
  },
};
