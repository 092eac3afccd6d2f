// The answer to a report, as this agent reads it.
import { HeartbeatResponse } from '@quarterdeck/core';
import { z } from 'zod';

/** {@link HeartbeatResponse} whose operations are read one by one: this agent may be older than the server. */
export const LenientHeartbeatResponse = HeartbeatResponse.extend({ operations: z.array(z.unknown()).optional() });
export type LenientHeartbeatResponse = z.infer<typeof LenientHeartbeatResponse>;
