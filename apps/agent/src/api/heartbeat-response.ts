// Parses the answer to a heartbeat.
import { HeartbeatResponse } from '@quarterdeck/core';
import { z } from 'zod';

/**
 * {@link HeartbeatResponse} with unparsed operations: a newer server may request kinds that this agent does not know.
 */
export const LenientHeartbeatResponse = HeartbeatResponse.extend({ operations: z.array(z.unknown()).optional() });
export type LenientHeartbeatResponse = z.infer<typeof LenientHeartbeatResponse>;
