// The screen of the audit log.

import type { AuditEntry } from '@quarterdeck/core';
import { useRows } from '@quarterdeck/views/react';
import type { ReadRange, Rows } from '@quarterdeck/views/reads';
import { grouped } from '@quarterdeck/views/text';
import { listScreen } from '../list/list-screen.tsx';
import { AUDIT_FACETS, auditColumns, auditDetail } from './audit-view.ts';

/** Entries of the first read. */
const FIRST = 200;
const EVERY_MS = 15_000;

const list: ReadRange<AuditEntry> = (client, query, signal) => client.audit.list({ query }, { signal });

const useAudit = (active: boolean): Rows<AuditEntry> => useRows(list, active, { everyMs: EVERY_MS, first: FIRST });

export const AuditScreen = listScreen({
  place: 'audit',
  useSource: useAudit,
  clockMs: 30_000,
  columns: auditColumns,
  facets: () => AUDIT_FACETS,
  detail: (entry, { nowMs }) => auditDetail(entry, nowMs),
  commands: (_, { client, open, run }) => ({
    verify: () =>
      run(async () => {
        const { intact, checked, broken_at: at } = await client.audit.verify();
        if (intact) return `The audit log is intact: ${grouped(checked)} entries checked.`;
        open({
          kind: 'text',
          title: 'The audit log was changed',
          lines: () => [
            [{ text: `Entry ${at ?? '?'} does not match the entries before it.`, tone: 'bad' }],
            [{ text: `The ${grouped(checked)} entries before it are intact.` }],
          ],
        });
        return 'Checked.';
      }),
  }),
  empty: () => ({ reading: 'Reading the audit log…', title: 'The audit log is empty.' }),
});
