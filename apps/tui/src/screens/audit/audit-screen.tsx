// Who did what, newest first, and whether the log is whole.
import type { AuditEntry } from '@quarterdeck/core';
import { type ReactElement, useMemo } from 'react';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { QueryNotice } from '../../components/notice.tsx';
import { useAudit, verifyAudit } from '../../data/audit.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData } from '../../data/query.ts';
import { staleMessage } from '../../data/stale.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { clean } from '../../text/clean.ts';
import { grouped } from '../../text/format.ts';
import { AUDIT_FACETS, auditColumns, auditLines } from './audit-view.ts';

const NONE: readonly AuditEntry[] = [];

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function AuditScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { client, now, open } = useDashboard();
  const { query, refresh, more } = useAudit(visible);
  const { rows, total } = hasData(query) ? query.data : { rows: NONE, total: 0 };
  const nowMs = useNow(now, 30_000, visible);
  const columns = useMemo(() => auditColumns(rows, nowMs), [rows, nowMs]);
  const deed = useAction(() => undefined);
  const verify = (): void =>
    deed(async () => {
      const { intact, checked, broken_at: at } = await verifyAudit(client);
      if (intact) return `The log is whole: ${grouped(checked)} entries fit together.`;
      open({
        kind: 'text',
        title: 'The audit log was changed',
        lines: () => [
          [{ text: `Entry ${at ?? '?'} does not fit to the ones before it.`, tone: 'bad' }],
          [{ text: `${grouped(checked)} entries before it are whole.` }],
        ],
      });
      return 'Checked.';
    });
  return (
    <ListScreen
      place="audit"
      visible={visible}
      rows={rows}
      columns={columns}
      facets={AUDIT_FACETS}
      detail={(entry) => ({ title: clean(entry.action), lines: (width) => auditLines(entry, nowMs, width) })}
      chips={
        total > rows.length ? [{ text: `newest ${grouped(rows.length)} of ${grouped(total)}`, tone: 'muted' }] : []
      }
      standing={staleMessage(query, nowMs)}
      extras={{ refresh }}
      commands={() => ({ verify, more: rows.length < total ? more : undefined })}
      empty={(width, height) => (
        <QueryNotice
          query={query}
          reading="Reading the audit log…"
          empty="Nothing was done yet."
          width={width}
          height={height}
        />
      )}
    />
  );
}
