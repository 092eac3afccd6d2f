// What agents say of their hosts: which column holds it, what it is called on the wire, and what of it is news.
import type { AgentFacts } from '@quarterdeck/core';
import type { AgentRow } from './agent.columns.ts';
import type { HistoryEntry } from './agent.history.ts';

type Said = string | number | boolean;

/** A fact: the column that holds it, its name in the history, and where a report has it. */
interface Fact {
  readonly column: keyof AgentRow;
  readonly field: string;
  readonly of: (facts: AgentFacts) => Said | undefined;
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
/** An administrator may have decided these; then what the agent says of them changes nothing. */
const SETTINGS: readonly Fact[] = [
  fact('catchTransientEvent', 'catch_transient_event', (facts) => facts.catch_transient_event),
  fact('autorunTools', 'autorun_tools', (facts) => facts.autorun_tools),
];
/** What it is at, and what it thinks of its kernel: known, but no history of its own. */
const STATE: readonly Fact[] = [
  fact('badKernelReported', 'bad_kernel', (facts) => facts.bad_kernel),
  fact('progressCurrent', 'progress.current', (facts) => facts.progress?.current),
  fact('progressDetail', 'progress.detail', (facts) => facts.progress?.detail),
];

/** A row with the columns that a report is about. */
type FactRow = Readonly<Record<string, unknown>>;

/** A stored value in the type in which it is said. */
const storedAs = (stored: unknown, said: Said): Said =>
  typeof said === 'boolean' ? stored === 1 : (stored as string | number);

/** Columns to change, and the lines of history that this makes. */
export interface FactChanges {
  readonly columns: Partial<AgentRow>;
  readonly happenings: readonly Omit<HistoryEntry, 'agentId'>[];
}

/** What of a report differs from what is stored. `row` is undefined for an agent that is new. */
export function changesOf(row: FactRow | undefined, facts: AgentFacts): FactChanges {
  const columns: Record<string, string | number> = {};
  const happenings: Omit<HistoryEntry, 'agentId'>[] = [];
  const compare = ({ column, field, of }: Fact, hasHistory: boolean) => {
    const said = of(facts);
    if (said === undefined) return;
    const stored = row === undefined ? undefined : storedAs(row[column], said);
    if (stored === said) return;
    columns[column] = typeof said === 'boolean' ? Number(said) : said;
    if (!hasHistory || stored === undefined) return;
    happenings.push({ kind: 'changed', field, before: String(stored), after: String(said) });
  };
  for (const each of FACTS) compare(each, true);
  if (row === undefined || row['settingsManaged'] === 0) for (const each of SETTINGS) compare(each, true);
  for (const each of STATE) compare(each, false);
  return { columns: columns as Partial<AgentRow>, happenings };
}

/** Whether a report says nothing of these facts that is not stored already. */
export const isKnown = (row: FactRow, facts: AgentFacts): boolean =>
  Object.keys(changesOf(row, facts).columns).length === 0;

/** Columns that {@link isKnown} needs. */
export const FACT_COLUMNS: readonly (keyof AgentRow)[] = [...FACTS, ...SETTINGS, ...STATE].map(({ column }) => column);
