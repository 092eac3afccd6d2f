// Handlers for each kind of operation.
import type { Command } from '../config-values.ts';
import type { CollectFacts } from '../facts/collect.ts';
import { runHook } from './hook.ts';
import type { OperationHandlers } from './operations.ts';

/** Options of {@link createHandlers}. */
export interface HandlerOptions {
  readonly collect: CollectFacts;
  /** Makes the next report send all facts. */
  readonly reportAll: () => void;
  /** Reopens the followed files; undefined when none are followed. */
  readonly reopenFiles: (() => void) | undefined;
  /** The operator's upgrade command. */
  readonly upgradeCommand: Command | undefined;
  /** Search path for commands. */
  readonly path: string;
}

/** Creates the handlers of this host. */
export const createHandlers = ({
  collect,
  reportAll,
  reopenFiles,
  upgradeCommand,
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
  async upgrade({ operation, signal, onProgress }) {
    if (upgradeCommand === undefined)
      return { ok: false, detail: 'no upgrade command is configured; set QUARTERDECK_AGENT_UPGRADE_COMMAND' };
    return await runHook({ command: upgradeCommand, path, version: operation.params?.version, signal, onProgress });
  },
});
