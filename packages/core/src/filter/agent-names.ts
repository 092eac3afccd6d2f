// Names in filters of agents: their fields and labels, `label.site`, or `site` where agents have this label.
import type { FieldNames, ValueKind } from './field-names.ts';

const KINDS = {
  state: 'agent_state',
  host: 'text',
  node: 'text',
  address: 'text',
  note: 'text',
  env: 'text',
  online: 'flag',
  maintenance: 'flag',
  bad_kernel: 'flag',
  cloned: 'flag',
  kernel: 'text',
  kernel_package: 'text',
  kernel_build: 'text',
  distribution: 'text',
  os: 'text',
  libc: 'text',
  stap: 'text',
  odb: 'text',
  version: 'number',
  transient_events: 'flag',
  autorun_tools: 'flag',
  interval: 'number',
  id: 'number',
  since: 'time',
  until: 'time',
} as const satisfies Record<string, ValueKind>;

/** Canonical name of a field of agents. */
export type AgentFieldName = keyof typeof KINDS;

/** Names of the fields of agents, for completion and descriptions. */
export const AGENT_FIELD_NAMES = Object.keys(KINDS) as readonly AgentFieldName[];

/** Paths of the same fields in agents as JSON. */
const PATHS: readonly (readonly [path: string, name: AgentFieldName])[] = [
  ['hostname', 'host'],
  ['node_id', 'node'],
  ['ip', 'address'],
  ['system_name', 'os'],
  ['catch_transient_event', 'transient_events'],
  ['system_version.kernel', 'kernel'],
  ['system_version.kernel_package', 'kernel_package'],
  ['system_version.kernel_bid', 'kernel_build'],
  ['system_version.kernel_distro', 'distribution'],
  ['system_version.libc', 'libc'],
  ['dependency.stap_version', 'stap'],
  ['dependency.odb_version', 'odb'],
  ['package.version', 'version'],
];

/** Canonical names by written ones in lower case. */
const WRITTEN = new Map<string, AgentFieldName>([
  ...AGENT_FIELD_NAMES.map((name) => [name, name] as const),
  ...PATHS,
  ['seen', 'since'],
]);

const LABEL = 'label.';

/** Label that a canonical name means; undefined for a field of agents. */
export const labelOfName = (name: string): string | undefined =>
  name.startsWith(LABEL) ? name.slice(LABEL.length) : undefined;

/** Names in filters of agents, with the labels that need no `label.`. */
export const agentFields = (isLabel: (name: string) => boolean): FieldNames => ({
  canonical(written) {
    const name = WRITTEN.get(written.toLowerCase());
    if (name !== undefined || written.startsWith(LABEL)) return name ?? written;
    return isLabel(written) ? LABEL + written : undefined;
  },
  kindOf: (name) => (labelOfName(name) === undefined ? KINDS[name as AgentFieldName] : undefined),
  written: (name) => name,
  listed: [...AGENT_FIELD_NAMES, `${LABEL}NAME`],
  nowS: 0,
});

/** Names in filters of agents where the labels of the fleet are not known: any name may be one. */
export const AGENT_FIELDS = agentFields(() => true);
