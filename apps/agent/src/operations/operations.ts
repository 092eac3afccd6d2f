// What the server asks this host to do, each once, whatever happens in the middle: an operation is remembered before it is
// begun, and its result is reported until the server has answered. There are three kinds; no command comes from outside.
import { type AgentOperationReport, PendingOperation } from '@quarterdeck/core';
import type { Logger } from 'pino';
import type { KnownOperation } from '../state.ts';
import type { StateStore } from '../state-store.ts';
import type { WakeSignal } from '../wake-signal.ts';

/** How an operation ended. */
export interface OperationResult {
  readonly ok: boolean;
  readonly detail: string;
}

/** What is being done. */
export interface ActionContext {
  readonly operation: PendingOperation;
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
  readonly onProgress: (percent: number, detail: string) => void;
}

/** What there is to do for each kind. */
export type OperationHandlers = Readonly<
  Record<PendingOperation['kind'], (work: ActionContext) => Promise<OperationResult>>
>;

/** What {@link createOperations} needs. */
export interface OperationsOptions {
  readonly stateStore: StateStore;
  readonly handlers: OperationHandlers;
  /** The agent's version: an upgrade that restarted the agent has worked when this is the one it was for. */
  readonly version: string;
  /** Rung when there is something to report. */
  readonly reportDue: WakeSignal;
  readonly log: Logger;
}

/** See the head of this file. */
export interface Operations {
  /** What the server has not answered yet. */
  reports(): AgentOperationReport[];
  /** Takes note that a report with these was answered. */
  acknowledge(reports: readonly AgentOperationReport[]): Promise<void>;
  /** Begins what is new. Resolves when that is remembered, not when it is done. */
  accept(requests: readonly unknown[]): Promise<void>;
  /** Forgets all of them: their numbers mean something else from now on. */
  removeAll(): Promise<unknown>;
  /** `progress` of the specification: of what is running, 0 and '' when idle. */
  progress(): { readonly current: number; readonly detail: string };
}

/** So many are remembered; the server asks again within hours, not after so many others. */
const REMEMBERED = 100;
/** So many results go with one report. */
const REPORTED = 20;
const TIMER_MAX_MS = 2_147_483_647;

const reportOf = ({ id, state, progress, detail }: KnownOperation): AgentOperationReport => ({
  id,
  state,
  progress,
  detail,
});

/** What becomes of an operation that was running when the agent stopped. Its start has all facts sent and all files opened. */
function afterRestart(operation: KnownOperation, version: string): KnownOperation {
  if (operation.state !== 'running') return operation;
  const begun = { ...operation, acknowledged: false };
  if (operation.kind !== 'upgrade')
    return { ...begun, state: 'succeeded', progress: 100, detail: 'the agent was started anew' };
  return operation.version === version
    ? { ...begun, state: 'succeeded', progress: 100, detail: `the agent was started anew as ${version}` }
    : { ...begun, state: 'failed', detail: `the agent was stopped in the middle, and is ${version}` };
}

/** Operations that go on from what the state remembers. */
export function createOperations({ stateStore, handlers, version, reportDue, log }: OperationsOptions): Operations {
  let known = (stateStore.state.operations ?? []).map((operation) => afterRestart(operation, version));

  let toldUnknown = false;

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
    const outcome = await handlers[kind]({ operation, signal: deadline.signal, onProgress }).catch((error) => {
      log.error({ operation: id, reason: String(error) }, 'an operation broke');
      return { ok: false, detail: 'the agent could not do it; its log says more' };
    });
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
    known = [...known.slice(1 - REMEMBERED), begun];
    log.info({ operation: id, kind, ...target }, 'an operation begins');
    // Not remembered, it might be done twice.
    if (!(await save())) return await finish(id, { ok: false, detail: 'the agent cannot write its state file' });
    if (seconds <= 0) return await finish(id, { ok: false, detail: 'it came after its deadline' });
    reportDue.notify();
    void run(operation);
  }

  return {
    reports: () =>
      known
        .filter(({ acknowledged }) => !acknowledged)
        .slice(0, REPORTED)
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
          if (!toldUnknown) log.warn('the server asks for something that this agent does not know');
          toldUnknown = true;
          continue;
        }
        // What is asked for again was not heard of.
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
