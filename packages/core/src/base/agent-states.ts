/**
 * State of an agent. `pending`: registered or awaited, no report yet. `online`: reports. `offline`: silent. `inactive`:
 * silent for fourteen days. `deleted`: removed from the list by an administrator; purged thirty days later.
 */
export const AGENT_STATES = ['pending', 'online', 'offline', 'inactive', 'deleted'] as const;
