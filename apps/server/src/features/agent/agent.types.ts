// Types that the parts of the agent service share.
import type { contract, Service } from '@quarterdeck/core';
import type { CallContext } from '../../call-context.ts';
import type { Deps } from '../../deps.ts';

/** The methods of the contract. */
export type AgentTable = Service<(typeof contract)['agent'], CallContext>;

/** Dependencies of a write that changes agents. */
export type AgentDeps = Pick<Deps, 'db' | 'events' | 'now' | 'listeningWindow'>;

/** A job over all agents. It checks `stopped` between its writes. */
export type AgentJob = (stopped: () => boolean) => Promise<void>;
