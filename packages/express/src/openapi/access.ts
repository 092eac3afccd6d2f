// Access to endpoints as OpenAPI's security requirements.
import { type Access, isConfirmedAccess } from '@quarterdeck/core';

/** Security schemes of the document. */
export const SECURITY_SCHEMES = {
  session: { type: 'apiKey', in: 'header', name: 'edge-token', description: 'Session token, from a login' },
  apiToken: { type: 'apiKey', in: 'header', name: 'API-Token', description: 'API token or an agent\u2019s secret' },
  bearer: { type: 'http', scheme: 'bearer', description: 'Either' },
} as const;

/** Credentials that an endpoint accepts. */
export function security(access: Access): Record<string, string[]>[] {
  if (access === 'public') return [];
  if (access === 'agent' || access === 'api_token') return [{ apiToken: [] }, { bearer: [] }];
  if (access === 'session' || isConfirmedAccess(access)) return [{ session: [] }, { bearer: [] }];
  return [{ session: [] }, { apiToken: [] }, { bearer: [] }];
}
