// Requests about the audit log.
import type { AuditEntry, AuditVerdict } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { useCallback, useState } from 'react';
import { useDashboard } from './dashboard.ts';
import { type QueryHandle, useQuery } from './use-query.ts';

/** Page size of the log. */
const PAGE = 200;
const EVERY_MS = 15_000;

/** The newest entries, and the total. */
export interface AuditPage {
  readonly rows: readonly AuditEntry[];
  readonly total: number;
}

/** Reads the log while `active`; `more` reads older entries. */
export function useAudit(active: boolean): QueryHandle<AuditPage> & { readonly more: () => void } {
  const { client, online } = useDashboard();
  const [wanted, setWanted] = useState(PAGE);
  const read = useCallback(
    async (signal: AbortSignal): Promise<AuditPage> => {
      const { data, meta } = await client.audit.list({ query: { page_size: wanted } }, { signal });
      return { rows: data, total: meta.count };
    },
    [client, wanted],
  );
  const handle = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  return { ...handle, more: () => setWanted((before) => Math.min(10_000, before + 5 * PAGE)) };
}

/** Verifies the chain of entries. */
export const verifyAudit = (client: Client): Promise<AuditVerdict> => client.audit.verify();
