// Handlers for each kind of operation.

import type { CollectFacts } from '../facts/collect.ts';
import type { Command } from '../settings/config-values.ts';
import { runHook } from './hook.ts';
import type { ActionContext, OperationHandlers, OperationResult } from './operations.ts';

export interface HandlerOptions {
  readonly collect: CollectFacts;
  /** Makes the next report send all facts. */
  readonly reportAll: () => void;
  /** Reopens the followed files; undefined when none are followed. */
  readonly reopenFiles: (() => void) | undefined;
  /** The operator's upgrade command. */
  readonly upgradeCommand: Command | undefined;
  /** Replaces this executable; undefined where it cannot. */
  readonly selfUpgrade?: ((work: ActionContext) => Promise<OperationResult>) | undefined;
  /** Search path for commands. */
  readonly path: string;
}

const NO_UPGRADE: OperationResult = {
  ok: false,
  detail:
    'no upgrade is configured; set QUARTERDECK_AGENT_UPGRADE_COMMAND, or QUARTERDECK_AGENT_UPGRADE_URL of a single executable',
};

/** Creates the handlers of this host. */
export const createHandlers = ({
  collect,
  reportAll,
  reopenFiles,
  upgradeCommand,
  selfUpgrade,
  path,
}: HandlerOptions): OperationHandlers => ({
  async collect_facts() {
    await collect({ all: true });
    reportAll();
    return { ok: true, detail: 'all facts are reported again' };
  },
  async restart_tailer() {
    if (reopenFiles === undefined)
      return { ok: false, detail: 'this host follows no log files; set QUARTERDECK_AGENT_FILES' };
    reopenFiles();
    return { ok: true, detail: 'all log files are reopened' };
  },
  async upgrade(work) {
    const { operation, signal, onProgress } = work;
    if (upgradeCommand === undefined) return await (selfUpgrade?.(work) ?? NO_UPGRADE);
    return await runHook({ command: upgradeCommand, path, version: operation.params?.version, signal, onProgress });
  },
});
