// When an agent and its host started, by the host's own clock. That clock may be wrong, drift or be set, so what it
// says is only ever compared with what it said before.
import type { AgentFacts } from '@quarterdeck/core';
import type { HistoryEntry } from './agent.history.ts';

/** A clock that is slewed moves the moment of the boot by less than this between two reports. */
const DRIFT_S = 10;

/** What is stored. */
interface StartsRow {
  readonly bootTime: number;
  readonly started: number;
}

/** Columns to change, and the lines of history that this makes. */
export interface StartChanges {
  readonly columns: { readonly bootTime?: number; readonly started?: number };
  readonly happenings: readonly Omit<HistoryEntry, 'agentId'>[];
  /** Whether any column changes. */
  readonly isNews: boolean;
  /** When the agent started, where it has begun anew since its last report. */
  readonly restartedAt: number | undefined;
}

/**
 * What a report says of the starts that is news. Whoever starts tells a new time, which nothing else changes. The moment
 * of the boot also moves where the host's clock is set: then the agent has not begun anew, and nothing has happened.
 */
export function startsOf(row: StartsRow, { boot_time: boot, started }: AgentFacts): StartChanges {
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
    happenings: [
      ...(isReboot
        ? [{ kind: 'rebooted', field: 'boot_time', before: String(known.boot), after: String(boot) } as const]
        : []),
      ...(isRestart
        ? [{ kind: 'restarted', field: 'started', before: String(known.started), after: String(started) } as const]
        : []),
    ],
  };
}
