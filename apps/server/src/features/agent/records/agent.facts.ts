// Facts that agents report of their hosts: the columns that hold them, and the changes that a report makes. The facts
// are what an agent collects, the starts of host and agent, and the verdict on the kernel.
import type { AgentFacts } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { badKernelReason } from '../../kernel-rule/verdict/kernel-rule.verdict.ts';
import type { AgentRow } from './agent.row.ts';
import type { HistoryEntry } from './agent-history.repo.ts';

/** A history entry of the agent that reports. */
export type OwnEntry = Omit<HistoryEntry, 'agentId'>;

type FactValue = string | number | boolean;

/** A fact that an agent reports. */
interface Fact {
  readonly column: keyof AgentRow;
  /** Name in the history. */
  readonly field: string;
  /** Reads the fact from a report. */
  readonly of: (facts: AgentFacts) => FactValue | undefined;
}

const fact = (column: Fact['column'], field: string, of: Fact['of']): Fact => ({ column, field, of });

const FACTS: readonly Fact[] = [
  fact('hostname', 'hostname', (facts) => facts.hostname),
  fact('ip', 'ip', (facts) => facts.ip),
  fact('env', 'env', (facts) => facts.env),
  fact('systemName', 'system_name', (facts) => facts.system_name),
  fact('packageVersion', 'package.version', (facts) => facts.package?.version),
  fact('packageTimestamp', 'package.timestamp', (facts) => facts.package?.timestamp),
  fact('stapVersion', 'dependency.stap_version', (facts) => facts.dependency?.stap_version),
  fact('odbVersion', 'dependency.odb_version', (facts) => facts.dependency?.odb_version),
  fact('kernelPackage', 'system_version.kernel_package', (facts) => facts.system_version?.kernel_package),
  fact('kernelBid', 'system_version.kernel_bid', (facts) => facts.system_version?.kernel_bid),
  fact('kernelDistro', 'system_version.kernel_distro', (facts) => facts.system_version?.kernel_distro),
  fact('libc', 'system_version.libc', (facts) => facts.system_version?.libc),
  fact('kernel', 'system_version.kernel', (facts) => facts.system_version?.kernel),
];
/** Settings. Once an administrator manages them, the reported values change nothing. */
const SETTINGS: readonly Fact[] = [
  fact('catchTransientEvent', 'catch_transient_event', (facts) => facts.catch_transient_event),
  fact('autorunTools', 'autorun_tools', (facts) => facts.autorun_tools),
];
/** Columns of the facts that have a history, and their names there. */
export const FACTS_WITH_HISTORY: readonly Pick<Fact, 'column' | 'field'>[] = [...FACTS, ...SETTINGS];
/** Facts without history: the progress, and the agent's own verdict on its kernel. */
const STATE: readonly Fact[] = [
  fact('badKernelReported', 'bad_kernel', (facts) => facts.bad_kernel),
  fact('progressCurrent', 'progress.current', (facts) => facts.progress?.current),
  fact('progressDetail', 'progress.detail', (facts) => facts.progress?.detail),
];

/** A row with {@link FACT_COLUMNS}. */
type FactRow = Readonly<Record<string, unknown>>;

/** Converts a stored value to the type of the reported one. */
const storedAs = (stored: unknown, value: FactValue): FactValue =>
  typeof value === 'boolean' ? stored === 1 : (stored as string | number);

/** Changes that a report makes. */
export interface FactChanges {
  readonly columns: Partial<AgentRow>;
  readonly history: readonly OwnEntry[];
}

/** Finds reported facts that differ from the stored ones. `row` is undefined for a new agent. */
export function factChanges(row: FactRow | undefined, facts: AgentFacts): FactChanges {
  const columns: Record<string, string | number> = {};
  const history: OwnEntry[] = [];
  const compare = ({ column, field, of }: Fact, hasHistory: boolean) => {
    const value = of(facts);
    if (value === undefined) return;
    const stored = row === undefined ? undefined : storedAs(row[column], value);
    if (stored === value) return;
    columns[column] = typeof value === 'boolean' ? Number(value) : value;
    if (!hasHistory || stored === undefined) return;
    history.push({ kind: 'changed', field, before: String(stored), after: String(value) });
  };
  for (const each of FACTS) compare(each, true);
  if (row === undefined || row['settingsManaged'] === 0) for (const each of SETTINGS) compare(each, true);
  for (const each of STATE) compare(each, false);
  return { columns: columns as Partial<AgentRow>, history };
}

/** Returns true if every reported fact is stored already. */
export const areKnown = (row: FactRow, facts: AgentFacts): boolean =>
  Object.keys(factChanges(row, facts).columns).length === 0;

/** Columns that {@link areKnown} compares. */
export const FACT_COLUMNS: readonly (keyof AgentRow)[] = [...FACTS, ...SETTINGS, ...STATE].map(({ column }) => column);

// Starts are times by the host's own clock. It may be wrong, drift or be set, so a start is only compared with the
// start that the host reported before.

/** A slewed clock moves the reported boot by less than this between two reports. */
const DRIFT_S = 10;

interface StartsRow {
  readonly bootTime: number;
  readonly started: number;
}

/** Changes that reported starts make. */
export interface StartChanges {
  readonly columns: { readonly bootTime?: number; readonly started?: number };
  readonly history: readonly OwnEntry[];
  /** True where a column changes. */
  readonly isNews: boolean;
  /** Start of the agent (Unix seconds) if it has restarted since its last report. */
  readonly restartedAt: number | undefined;
}

/**
 * Finds starts that differ from the stored ones. `started` changes only with a restart of the agent. `boot_time` also
 * moves when the host's clock is set: without a restart of the agent that is no reboot.
 */
export function startChanges(row: StartsRow, { boot_time: boot, started }: AgentFacts): StartChanges {
  const known = { boot: row.bootTime, started: row.started };
  const hasStarted = started !== undefined && started !== known.started;
  const isRestart = hasStarted && known.started > 0;
  const hasMoved = boot !== undefined && Math.abs(boot - known.boot) > DRIFT_S;
  const isReboot = hasMoved && known.boot > 0 && (isRestart || known.started === 0);
  const hasBoot = boot !== undefined && boot !== known.boot && (hasMoved || hasStarted);
  return {
    columns: {
      ...(hasBoot ? { bootTime: boot } : {}),
      ...(hasStarted ? { started } : {}),
    },
    isNews: hasBoot || hasStarted,
    restartedAt: isRestart ? started : undefined,
    history: [
      ...(isReboot
        ? [{ kind: 'rebooted', field: 'boot_time', before: String(known.boot), after: String(boot) } as const]
        : []),
      ...(isRestart
        ? [{ kind: 'restarted', field: 'started', before: String(known.started), after: String(started) } as const]
        : []),
    ],
  };
}

type KernelColumns = Pick<AgentRow, 'badKernel' | 'badKernelReported' | 'badKernelReason'>;

/** The verdict on the kernel after a change of facts. Rules are read only for another kernel. */
export async function kernelColumns(
  tx: Tx,
  before: KernelColumns | undefined,
  { kernel, badKernelReported }: Partial<AgentRow>,
): Promise<Partial<KernelColumns>> {
  if (kernel === undefined && badKernelReported === undefined) return {};
  const reason = kernel === undefined ? (before?.badKernelReason ?? '') : await badKernelReason(tx, kernel);
  const isReported = (badKernelReported ?? before?.badKernelReported ?? 0) === 1;
  return { badKernel: Number(isReported || reason !== ''), badKernelReason: reason };
}
