import type { Database } from '@quarterdeck/core/db';
import type { LineReads } from '@quarterdeck/store';
import type { KeyRing } from '../../../auth/key-ring.ts';
import type { ListeningWindow } from '../../agent/records/listening-window.ts';
import type { ServerHealth } from './health-state.ts';

/** Parts of a server that kinds of rules work with. */
export interface KindNeeds {
  readonly db: Database;
  readonly key: KeyRing;
  readonly lineReads: LineReads;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly listeningWindow: ListeningWindow;
  readonly health: ServerHealth;
}
