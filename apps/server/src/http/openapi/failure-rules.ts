// Failures of this server beside those of every service.
import type { FailureRules } from '@quarterdeck/express/openapi';
import { OIDC_CALLBACK, OIDC_SIGN_OUT, OIDC_START } from '../endpoints/raw-endpoints.ts';

/** Routes that browsers open, and that send them on. */
const BY_BROWSERS = [OIDC_START, OIDC_CALLBACK, OIDC_SIGN_OUT];

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
  // The provider behind a session.
  anyCaller: ['identity_unavailable'],
  anyChange: ['storage_full'],
  isCounted: ({ method, access, uncounted }) => method !== 'GET' && access !== 'public' && !uncounted,
  hasPages: ({ path }) => BY_BROWSERS.some((endpoint) => endpoint.path === path),
};
