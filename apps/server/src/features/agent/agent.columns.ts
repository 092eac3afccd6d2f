// The columns of an agent: what they are called, and a row of them. Agents are read and written by prepared statements
// only where thousands come at once, or a page of them is shown: Prisma takes several times as long.
import type { Prisma } from '@quarterdeck/core/db';

/** A row of the table, as Prisma has it. */
type Model = NonNullable<Awaited<ReturnType<Prisma['agent']['findFirst']>>>;

/** Columns of what the specification shows of an agent. */
export const SHOWN = [
  ...(['id', 'nodeId', 'hostname', 'ip', 'env', 'isDeleted', 'badKernel', 'catchTransientEvent'] as const),
  ...(['autorunTools', 'note', 'systemName', 'progressCurrent', 'progressDetail', 'packageVersion'] as const),
  ...(['packageTimestamp', 'stapVersion', 'odbVersion', 'kernelPackage', 'kernelBid', 'kernelDistro'] as const),
  ...(['libc', 'kernel', 'createdMs', 'modifiedMs', 'lastReportedMs', 'intervalS', 'state'] as const),
];
/** Columns of what is shown besides with `detail=1`. */
export const SHOWN_IN_DETAIL = [
  ...(['reason', 'stateSinceMs', 'deletedMs', 'maintenance', 'badKernelReason', 'clonedMs', 'bootTime'] as const),
  ...(['started', 'shipper', 'enrollmentId'] as const),
];
/** Columns of a whole row. Secrets are not among them: they are looked for, never read. */
export const WHOLE = [
  ...SHOWN,
  ...SHOWN_IN_DETAIL,
  ...(['badKernelReported', 'settingsManaged', 'secretUsed', 'hasOperations', 'outageId'] as const),
];

/** Some columns of a row, as prepared statements have them: integers are numbers, and flags are 0 or 1. */
type Columns<Name extends keyof Model> = {
  readonly [N in Name]: Model[N] extends boolean | bigint ? number : Model[N];
};
/** What the specification shows of an agent. */
export type AgentView = Columns<(typeof SHOWN)[number]>;
/** What is shown besides with `detail=1`, but for the labels. */
export type DetailView = Columns<(typeof SHOWN_IN_DETAIL)[number]>;
/** Everything that is shown of an agent, but for its labels. */
export type DetailedView = AgentView & DetailView;
/** What changes about an agent with its reports, or because there are none. */
export type LiveView = Pick<AgentView, 'isDeleted' | 'state' | 'lastReportedMs' | 'intervalS'>;
/** A whole row. */
export type AgentRow = Columns<(typeof WHOLE)[number]>;

/** The column that holds a field of the model. */
export const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Columns under the names that the model has for them. `table` is its alias and a dot, where it has one. */
export const selected = (names: readonly string[], table = ''): string =>
  names.map((name) => `${table}${columnOf(name)} AS "${name}"`).join(', ');
