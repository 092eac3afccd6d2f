// Types that the parts of the agent service share.
import type { contract, Service } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { CallContext } from '../../call-context.ts';
import type { EventBus } from '../../event/event.bus.ts';
import type { ListeningWindow } from './listening-window.ts';

/** The methods of the contract. */
export type AgentTable = Service<(typeof contract)['agent'], CallContext>;

/** Parts of a server that a write needs to change agents. */
export interface AgentDeps {
  readonly db: Database;
  readonly events: EventBus;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly listeningWindow: ListeningWindow;
}

/** A job over all agents. It checks `stopped` between its writes. */
export type AgentJob = (stopped: () => boolean) => Promise<void>;
