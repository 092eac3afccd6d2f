// Failures of this server beside those of every service.
import type { FailureRules } from '@quarterdeck/express/openapi';

/** Codes of a database and a limited server, and the rate limit of changes. */
export const FAILURE_RULES: FailureRules = {
  anyRequest: [
    'headers_too_large',
    'coding_not_implemented',
    'overloaded',
    'database_busy',
    'database_unavailable',
    'shutting_down',
  ],
  anyChange: ['storage_full'],
  isCounted: ({ method, access, uncounted }) => method !== 'GET' && access !== 'public' && !uncounted,
};
