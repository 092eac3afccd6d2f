// Requests about the audit log.
import type { AuditEntry, AuditVerdict } from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';

/** Entries of the first read. */
const FIRST = 200;
const EVERY_MS = 15_000;

const list: ReadRange<AuditEntry> = (client, query, signal) => client.audit.list({ query }, { signal });

/** Reads the log while `active`. */
export const useAudit = (active: boolean): Rows<AuditEntry> =>
  useRows(list, active, { everyMs: EVERY_MS, first: FIRST });

/** Verifies the chain of entries. */
export const verifyAudit = (client: Client): Promise<AuditVerdict> => client.audit.verify();
