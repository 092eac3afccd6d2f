// Agents in words; their filters, requests and outages.

export * from './agent-filter.ts';
export * from './agent-filter-source.ts';
export * from './agent-words.ts';
export * from './agents.ts';
export * from './fleet.ts';
export * from './outage-message.ts';
export * from './sources.ts';
export * from './vitals.ts';
export * from './with-events.ts';
