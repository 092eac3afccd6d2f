// The kinds of change that cause an incident or happen beside it.
import type { AgentFacts, HostChangeKind } from '../../packages/core/src/index.ts';
import type { Fleet, Host } from './fleet.ts';
import type { Timeline } from './timeline.ts';

/** A host and the time of its change (Unix seconds). */
export interface Step {
  readonly host: Host;
  readonly atS: number;
}

/** The names under which an answer may show a change. */
export interface Name {
  readonly kind: string;
  readonly field: string;
  /** The new value; undefined where each host has its own. */
  readonly to: string | undefined;
}

/** A kind of change. `version` is a number that no other change of the bench has. */
export interface ChangeKind {
  readonly name: string;
  /** A change of the whole host that nothing else can happen in the middle of. */
  readonly isReboot?: boolean;
  /** True where one version follows another. */
  readonly isVersioned?: boolean;
  /** Lets it happen; returns the times at which each host runs with it. */
  make(context: { timeline: Timeline; fleet: Fleet }, steps: readonly Step[], version: number): readonly Step[];
  names(version: number): readonly Name[];
}

type FactsOf = (host: Host, version: number, atS: number) => AgentFacts;

function facts(name: string, of: FactsOf, names: ChangeKind['names'], isVersioned = false): ChangeKind {
  return {
    name,
    isVersioned,
    make({ timeline }, steps, version) {
      for (const { host, atS } of steps) timeline.report(host, atS, of(host, version, Math.floor(atS)));
      return steps;
    },
    names,
  };
}

type Observed = { readonly field: string; readonly from: string; readonly to: string };

/** A change that the agent observes on its host. `own`: each host has its own new value. */
function observed(
  name: string,
  kind: HostChangeKind,
  of: (version: number, host: Host) => Observed,
  { own = false, isVersioned = false } = {},
): ChangeKind {
  const anyHost = { index: 0 } as Host;
  return {
    name,
    isVersioned,
    make({ timeline }, steps, version) {
      for (const { host, atS } of steps) timeline.report(host, atS, {}, [{ kind, ...of(version, host) }]);
      return steps;
    },
    names(version) {
      const { field, to } = of(version, anyHost);
      return [{ kind, field, to: own ? undefined : to }];
    },
  };
}

/** Most parts in which a person or a tool changes many hosts. */
const WAVES = 4;

/** Hosts that a person or a tool changes together, at the time of the last of them. */
function waves(steps: readonly Step[]): Step[][] {
  const inOrder = [...steps].sort((a, b) => a.atS - b.atS);
  const size = Math.max(1, Math.ceil(inOrder.length / WAVES));
  const made: Step[][] = [];
  for (let at = 0; at < inOrder.length; at += size) {
    const wave = inOrder.slice(at, at + size);
    const atS = Math.floor(wave.at(-1)?.atS ?? 0);
    made.push(wave.map(({ host }) => ({ host, atS })));
  }
  return made;
}

type Central = (fleet: Fleet, hosts: readonly Host[], version: number) => Promise<void>;

/** A change in the middle, of many hosts at once. */
function central(name: string, change: Central, names: ChangeKind['names'], isVersioned = false): ChangeKind {
  return {
    name,
    isVersioned,
    make({ timeline, fleet }, steps, version) {
      const made = waves(steps);
      for (const wave of made) {
        const hosts = wave.map(({ host }) => host);
        timeline.at(wave[0]?.atS ?? 0, () => change(fleet, hosts, version));
      }
      return made.flat();
    },
    names,
  };
}

/** Seconds for which a host that boots does not report. */
const BOOT_S = 60;
const kernel = (version: number) => `6.12.${version}`;
const kernelNames = (version: number): readonly Name[] => [
  { kind: 'changed', field: 'system_version.kernel', to: kernel(version) },
  { kind: 'changed', field: 'system_version.kernel_package', to: `linux-image-${kernel(version)}` },
];

/** Facts of a host that runs a new kernel. */
export const kernelFacts = (version: number): AgentFacts => ({
  system_version: { kernel: kernel(version), kernel_package: `linux-image-${kernel(version)}` },
});

const PACKAGES = ['openssl', 'libpcre2-8-0', 'zlib1g', 'curl', 'ca-certificates', 'libgd3'];
const DISKS = ['/', '/var', '/var/log'];
const pick = <T>(values: readonly T[], version: number): T => values[version % values.length] as T;

export const KERNEL: ChangeKind = {
  name: 'kernel',
  isReboot: true,
  make({ timeline }, steps, version) {
    return steps.map(({ host, atS }) => {
      const backS = atS + BOOT_S;
      timeline.reboot(host, atS, backS, kernelFacts(version));
      return { host, atS: backS };
    });
  },
  names: kernelNames,
};

export const KINDS: readonly ChangeKind[] = [
  KERNEL,
  facts(
    'agent upgrade',
    (_, version, atS) => ({ package: { version, timestamp: 1_700_000_000 + 60 * version }, started: atS }),
    (version) => [{ kind: 'changed', field: 'package.version', to: String(version) }],
    true,
  ),
  facts(
    'address',
    ({ index }, version) => ({ ip: `fd00::${version.toString(16)}:${index.toString(16)}` }),
    () => [{ kind: 'changed', field: 'ip', to: undefined }],
  ),
  facts(
    'environment',
    (_, version) => ({ env: `kubernetes-${version}` }),
    (version) => [{ kind: 'changed', field: 'env', to: `kubernetes-${version}` }],
  ),
  facts(
    'libc',
    (_, version) => ({ system_version: { libc: `2.41-${version}` } }),
    (version) => [{ kind: 'changed', field: 'system_version.libc', to: `2.41-${version}` }],
    true,
  ),
  facts(
    'dependency',
    (_, version) => ({ dependency: { odb_version: String(version) } }),
    (version) => [{ kind: 'changed', field: 'dependency.odb_version', to: String(version) }],
    true,
  ),
  // Each agent hashes files with a key of its own.
  observed(
    'config',
    'config',
    (version, { index }) => ({
      field: `/etc/nginx/conf.d/site-${version % 9}.conf`,
      from: `${index}-${version - 1}`,
      to: `${index}-${version}`,
    }),
    { own: true },
  ),
  observed(
    'package',
    'package',
    (version) => ({ field: pick(PACKAGES, version), from: '3.0.1-1', to: `3.0.${version}-1` }),
    { isVersioned: true },
  ),
  observed('program', 'program', (version) => ({ field: 'nginx', from: '1.26.0', to: `1.26.${version}` }), {
    isVersioned: true,
  }),
  observed('certificate', 'certificate', (version) => ({
    field: `/etc/ssl/site-${version % 5}.pem`,
    from: `CN=site sha256:${version - 1}`,
    to: `CN=site sha256:${version}`,
  })),
  observed('unit', 'unit', (version) => ({ field: `job-${version % 7}.service`, from: 'active', to: 'restarted' })),
  observed('dns', 'dns', (version) => ({
    field: 'nameservers',
    from: '10.0.0.53',
    to: `10.${version >> 16}.${(version >> 8) & 255}.${version & 255}`,
  })),
  observed('time zone', 'time_zone', (version) => ({
    field: 'time_zone',
    from: 'UTC',
    to: `Etc/GMT+${1 + (version % 12)}`,
  })),
  observed(
    'container',
    'container',
    (version) => ({ field: 'gateway', from: 'sha256:0', to: `sha256:${version.toString(16)}` }),
    { isVersioned: true },
  ),
  observed('disk', 'disk', (version) => ({ field: pick(DISKS, version), from: '89 %', to: '98 %' })),
  observed(
    'clock',
    'clock',
    (version, { index }) => ({ field: '', from: '', to: `${60 + ((version + index) % 900)} s` }),
    {
      own: true,
    },
  ),
  central(
    'deploy',
    (fleet, hosts, version) =>
      fleet.change(hosts, { kind: 'deploy', name: 'checkout', before: `v${version - 1}`, after: `v${version}` }),
    (version) => [{ kind: 'change', field: 'deploy', to: `v${version}` }],
    true,
  ),
  central(
    'setting',
    (fleet, hosts) => fleet.switchOn(hosts),
    () => [{ kind: 'settings', field: 'autorun_tools', to: 'true' }],
  ),
  central(
    'label',
    (fleet, hosts, version) => fleet.label(hosts, 'tier', `tier-${version}`),
    (version) => [{ kind: 'labels', field: 'tier', to: `tier=tier-${version}` }],
  ),
];
