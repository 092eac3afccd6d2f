// Requests about operations of agents.
import type { Operation } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { ROWS_MAX, type Rows, useRows } from './use-rows.ts';

/** Interval of reading again, because no event reports progress, milliseconds. */
const EVERY_MS = 3_000;

const list = (client: Client, signal: AbortSignal) =>
  client.agentOperation.list({ query: { page_size: ROWS_MAX } }, { signal });

/** Reads the operations while `active`, newest first. */
export const useOperations = (active: boolean): Rows<Operation> => useRows(list, active, EVERY_MS);

/** Cancels an operation that has not started. */
export const cancelOperation = (client: Client, id: number): Promise<undefined> =>
  client.agentOperation.cancel({ params: { id } });
