// The answer to a report, as this agent reads it.
import { AgentOrders } from '@quarterdeck/core';
import { z } from 'zod';

/** {@link AgentOrders} whose operations are read one by one: this agent may be older than the server. */
export const Orders = AgentOrders.extend({ operations: z.array(z.unknown()).optional() });
export type Orders = z.infer<typeof Orders>;
