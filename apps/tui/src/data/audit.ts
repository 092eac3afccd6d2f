// Requests about the audit log.
import type { AuditEntry, AuditVerdict } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { useCallback, useState } from 'react';
import { type Rows, useRows } from './use-rows.ts';

/** Page size of the log. */
const PAGE = 200;
const EVERY_MS = 15_000;

/** Reads the log while `active`; `more` reads older entries. */
export function useAudit(active: boolean): Rows<AuditEntry> & { readonly more: () => void } {
  const [wanted, setWanted] = useState(PAGE);
  const list = useCallback(
    (client: Client, signal: AbortSignal) => client.audit.list({ query: { page_size: wanted } }, { signal }),
    [wanted],
  );
  const rows = useRows(list, active, EVERY_MS);
  return { ...rows, more: () => setWanted((before) => Math.min(10_000, before + 5 * PAGE)) };
}

/** Verifies the chain of entries. */
export const verifyAudit = (client: Client): Promise<AuditVerdict> => client.audit.verify();
