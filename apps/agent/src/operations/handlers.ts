// What is done for each kind of operation.
import type { Command } from '../config-values.ts';
import type { CollectFacts } from '../facts/collect.ts';
import { runHook } from './hook.ts';
import type { OperationHandlers } from './operations.ts';

/** What {@link createHandlers} needs. */
export interface HandlerOptions {
  readonly collect: CollectFacts;
  /** Has the next report say everything. */
  readonly reportAll: () => void;
  /** Opens the followed files anew; undefined where none are followed. */
  readonly reopenFiles: (() => void) | undefined;
  /** The operator's command for upgrades. */
  readonly upgradeCommand: Command | undefined;
  /** Where commands are looked for. */
  readonly path: string;
}

/** The actions of this host. */
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
    return { ok: true, detail: 'all facts are reported anew' };
  },
  async restart_tailer() {
    if (reopenFiles === undefined) return { ok: false, detail: 'no log files are followed on this host' };
    reopenFiles();
    return { ok: true, detail: 'all log files are opened anew' };
  },
  async upgrade({ operation, signal, onProgress }) {
    if (upgradeCommand === undefined) return { ok: false, detail: 'no upgrade command is configured on this host' };
    return await runHook({ command: upgradeCommand, path, version: operation.params?.version, signal, onProgress });
  },
});
