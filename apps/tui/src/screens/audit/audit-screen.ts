// The screen of the audit log.

import { clean, grouped } from '@quarterdeck/views/text';
import { useAudit, verifyAudit } from '../../data/audit.ts';
import { listScreen } from '../list/list-screen.tsx';
import { AUDIT_FACETS, auditColumns, auditLines } from './audit-view.ts';

export const AuditScreen = listScreen({
  place: 'audit',
  useSource: useAudit,
  clockMs: 30_000,
  columns: auditColumns,
  facets: () => AUDIT_FACETS,
  detail: (entry, { nowMs }) => ({
    title: clean(entry.action),
    lines: (width) => auditLines(entry, nowMs, width),
  }),
  commands: (_, { client, open, run }) => ({
    verify: () =>
      run(async () => {
        const { intact, checked, broken_at: at } = await verifyAudit(client);
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
