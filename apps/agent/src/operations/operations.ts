// Runs the operations that the server requests, each at most once. An operation is saved before it begins, and its
// result is reported until the server has answered. There are three kinds; no command comes from outside.
import { type AgentOperationReport, PendingOperation } from '@quarterdeck/core';
import type { Logger } from 'pino';
import type { KnownOperation } from '../files/state.ts';
import type { StateStore } from '../files/state-store.ts';
import type { WakeSignal } from '../process/wake-signal.ts';

export interface OperationResult {
  readonly ok: boolean;
  readonly detail: string;
}

/** Arguments of a handler. */
export interface ActionContext {
  readonly operation: PendingOperation;
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
  readonly onProgress: (percent: number, detail: string) => void;
  /** Notes the version that a start must have for the operation to have succeeded. */
  readonly onVersion: (version: string) => Promise<unknown>;
}

/** One handler for each kind of operation. */
export type OperationHandlers = Readonly<
  Record<PendingOperation['kind'], (work: ActionContext) => Promise<OperationResult>>
>;

export interface OperationsOptions {
  readonly stateStore: StateStore;
  readonly handlers: OperationHandlers;
  /** The agent's version. An upgrade that restarted the agent succeeded when it is the requested one. */
  readonly version: string;
  /** Finds why a version was rolled back on this host; undefined when it was not. */
  readonly refusalOf?: ((version: string) => string | undefined) | undefined;
  /** Notified when there is something to report. */
  readonly reportDue: WakeSignal;
  readonly log: Logger;
}

export interface Operations {
  /** Reports that the server has not answered yet. */
  reports(): AgentOperationReport[];
  /** Records that a report with these operations was answered. */
  acknowledge(reports: readonly AgentOperationReport[]): Promise<void>;
  /** Begins new operations. Resolves when they are saved, not when they are done. */
  accept(requests: readonly unknown[]): Promise<void>;
  /** Removes all operations: another server numbers its operations from 1. */
  removeAll(): Promise<unknown>;
  /** `progress` of the specification: of the running upgrade; 0 and '' when idle. */
  progress(): { readonly current: number; readonly detail: string };
}

/** Number of operations to keep. The server repeats a request within hours, not after this many others. */
const KEPT_MAX = 100;
/** Maximum number of operations in one report. */
const REPORTED_MAX = 20;
const TIMER_MAX_MS = 2_147_483_647;

const reportOf = ({ id, state, progress, detail }: KnownOperation): AgentOperationReport => ({
  id,
  state,
  progress,
  detail,
});

/**
 * Ends an operation that was running when the agent stopped. Starting the agent sends all facts and opens all files.
 */
function afterRestart(operation: KnownOperation, { version, refusalOf }: OperationsOptions): KnownOperation {
  if (operation.state !== 'running') return operation;
  const begun = { ...operation, acknowledged: false };
  if (operation.kind !== 'upgrade')
    return { ...begun, state: 'succeeded', progress: 100, detail: 'the agent restarted' };
  if (operation.version === version) {
    return { ...begun, state: 'succeeded', progress: 100, detail: `the agent restarted as ${version}` };
  }
  const refusal = operation.version === undefined ? undefined : refusalOf?.(operation.version);
  return {
    ...begun,
    state: 'failed',
    detail:
      refusal === undefined
        ? `the agent stopped before the end and is still ${version}`
        : `the agent is ${version} again: ${operation.version} ${refusal}`,
  };
}

/** Creates the operations of a host and continues from its saved state. */
export function createOperations(options: OperationsOptions): Operations {
  const { stateStore, handlers, reportDue, log } = options;
  let known = (stateStore.state.operations ?? []).map((operation) => afterRestart(operation, options));

  let warnedUnknown = false;

  const save = () => stateStore.update({ operations: known });

  function change(id: number, part: Partial<KnownOperation>): void {
    known = known.map((operation) =>
      operation.id === id ? { ...operation, acknowledged: false, ...part } : operation,
    );
  }

  async function finish(id: number, { ok, detail }: OperationResult): Promise<void> {
    const state = ok ? 'succeeded' : 'failed';
    change(id, { state, detail, ...(ok ? { progress: 100 } : {}) });
    log[ok ? 'info' : 'warn']({ operation: id, detail }, `an operation has ${state}`);
    await save();
    reportDue.notify();
  }

  async function run(operation: PendingOperation): Promise<void> {
    const { id, kind, seconds } = operation;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), Math.min(TIMER_MAX_MS, seconds * 1000));
    const onProgress = (progress: number, detail: string) => change(id, { progress, detail });
    const onVersion = (version: string) => {
      change(id, { version });
      return save();
    };
    const outcome = await handlers[kind]({ operation, signal: deadline.signal, onProgress, onVersion }).catch(
      (error) => {
        log.error({ operation: id, reason: String(error) }, 'an operation failed unexpectedly');
        return { ok: false, detail: 'unexpected failure; see the log of the agent' };
      },
    );
    clearTimeout(timer);
    await finish(id, outcome);
  }

  async function begin(operation: PendingOperation): Promise<void> {
    const { id, kind, seconds, params } = operation;
    const target = params?.version === undefined ? {} : { version: params.version };
    const begun: KnownOperation = {
      id,
      kind,
      state: 'running',
      progress: 0,
      detail: '',
      acknowledged: false,
      ...target,
    };
    known = [...known.slice(1 - KEPT_MAX), begun];
    log.info({ operation: id, kind, ...target }, 'an operation started');
    // An operation that is not saved might run twice.
    if (!(await save())) return await finish(id, { ok: false, detail: 'the agent cannot write its state file' });
    if (seconds <= 0) return await finish(id, { ok: false, detail: 'the request arrived after its deadline' });
    reportDue.notify();
    void run(operation);
  }

  return {
    reports: () =>
      known
        .filter(({ acknowledged }) => !acknowledged)
        .slice(0, REPORTED_MAX)
        .map(reportOf),

    async acknowledge(reports) {
      const before = known;
      known = known.map((operation) => {
        const isAnswered = reports.some(
          (report) => report.id === operation.id && JSON.stringify(report) === JSON.stringify(reportOf(operation)),
        );
        return isAnswered ? { ...operation, acknowledged: true } : operation;
      });
      if (before.some((operation, i) => operation.acknowledged !== known[i]?.acknowledged)) await save();
    },

    async accept(requests) {
      for (const request of requests) {
        const parsed = PendingOperation.safeParse(request);
        if (!parsed.success) {
          if (!warnedUnknown) log.warn('the server requested an unknown operation; upgrade this agent');
          warnedUnknown = true;
          continue;
        }
        // The server asks again when it has not received the report.
        if (known.some(({ id }) => id === parsed.data.id)) change(parsed.data.id, {});
        else await begin(parsed.data);
      }
    },

    removeAll() {
      known = [];
      return save();
    },

    progress() {
      const running = known.find(({ state, kind }) => state === 'running' && kind === 'upgrade');
      return { current: running?.progress ?? 0, detail: running?.detail ?? '' };
    },
  };
}
