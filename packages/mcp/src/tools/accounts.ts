// Tools about API tokens and the audit log.
import { type ApiToken, type AuditEntry, auditFilters } from '@quarterdeck/core';
import { paginate } from '@quarterdeck/sdk';
import { z } from 'zod';
import { defineTool, nextPage, paging, splitPaging } from './tool.ts';

const DAY_S = 86_400;
const WITHIN_DEFAULT_S = 30 * DAY_S;
const PAGE_SIZE = 500;
/** Tokens that one call looks at. */
const TOKENS_MAX = 10_000;

// Nothing of a secret is shown, not even its last characters.
const shownToken = ({ id, name, uid, username, state, expire, scopes, last_used, last_address }: ApiToken) => ({
  id,
  name,
  uid,
  username,
  state,
  expire,
  scopes,
  last_used,
  last_address,
});

// The hashes of the chain tell an assistant nothing.
const shownEntry = ({ id, time, action, actor, target, request_id, detail }: AuditEntry) => ({
  id,
  time,
  action,
  actor,
  target,
  request_id,
  detail,
});

export const expiringTokens = defineTool({
  name: 'expiring_tokens',
  title: 'Expiring API tokens',
  description: 'API tokens that expire soon, the earliest first; expired ones are left out. Shows no secret.',
  input: z.strictObject({
    within: z
      .int()
      .min(1)
      .max(3650 * DAY_S)
      .optional()
      .meta({ description: 'Seconds from now; default 2592000, 30 days' }),
    ...paging,
  }),
  async run({ client, signal }, { within = WITHIN_DEFAULT_S, ...args }) {
    const { limit, page } = splitPaging(args);
    const nowMs = Date.now();
    const expiring: ApiToken[] = [];
    let seen = 0;
    for await (const token of paginate(
      client.apiToken.list,
      { query: { detail: 1 } },
      { pageSize: PAGE_SIZE, signal },
    )) {
      seen += 1;
      if (token.expire > nowMs && token.expire <= nowMs + within * 1000) expiring.push(token);
      if (seen >= TOKENS_MAX) break;
    }
    const first = (page - 1) * limit;
    const rows = expiring.sort((a, b) => a.expire - b.expire).slice(first, first + limit);
    return {
      summary: `${rows.length} of ${expiring.length} API tokens that expire within ${within} seconds.`,
      data: rows.map(shownToken),
      meta: { complete: seen < TOKENS_MAX },
      next: nextPage(expiring.length, { limit, page }),
    };
  },
});

export const auditSearch = defineTool({
  name: 'audit_search',
  title: 'Search the audit log',
  description: 'Entries of the audit log: who did what, from where, newest first.',
  input: z.strictObject({ ...auditFilters, ...paging }),
  async run({ client, signal }, args) {
    const { filters, ...page } = splitPaging(args);
    const query = { ...filters, page: page.page, page_size: page.limit };
    const { data, meta } = await client.audit.list({ query }, { signal });
    return {
      summary: `${data.length} of ${meta.count} audit entries, page ${page.page}.`,
      data: data.map(shownEntry),
      next: nextPage(meta.count, page),
    };
  },
});
