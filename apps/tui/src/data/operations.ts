// Requests about operations of agents.
import type { Operation } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';

/** Interval of reading again, because no event reports progress, milliseconds. */
const EVERY_MS = 3_000;

const list: ReadRange<Operation> = (client, query, signal) => client.agentOperation.list({ query }, { signal });

/** Reads the operations while `active`, newest first. */
export const useOperations = (active: boolean): Rows<Operation> => useRows(list, active, { everyMs: EVERY_MS });

/** Cancels an operation that has not started. */
export const cancelOperation = (client: Client, id: number): Promise<undefined> =>
  client.agentOperation.cancel({ params: { id } });
