// The enrolment tokens: list, details, and the dialogs that make and revoke them.
import { type ReactElement, useMemo } from 'react';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { QueryNotice } from '../../components/notice.tsx';
import { useDashboard } from '../../data/dashboard.ts';
import { useEnrollments } from '../../data/enrollment.ts';
import { staleMessage } from '../../data/stale.ts';
import { useNow } from '../../data/use-now.ts';
import { createDialog, type EnrollmentActions, removeDialog } from './enrollment-dialogs.ts';
import { ENROLLMENT_FACETS, enrollmentColumns, enrollmentLines, enrollmentName } from './enrollment-view.ts';

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function EnrollmentScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { client, profile, now, open } = useDashboard();
  const { query, rows, refresh } = useEnrollments(visible);
  const nowMs = useNow(now, 10_000, visible);
  const columns = useMemo(() => enrollmentColumns(rows, nowMs), [rows, nowMs]);
  const facets = useMemo(() => ENROLLMENT_FACETS(nowMs), [nowMs]);
  const deeds: EnrollmentActions = { client, profile, now, refresh };
  return (
    <ListScreen
      place="enrollment"
      visible={visible}
      rows={rows}
      columns={columns}
      facets={facets}
      detail={(token) => ({ title: enrollmentName(token), lines: (width) => enrollmentLines(token, nowMs, width) })}
      standing={staleMessage(query, nowMs)}
      extras={{ refresh }}
      commands={({ selected, chosen }) => ({
        create: () => open(createDialog(deeds)),
        ...(selected === undefined ? {} : { remove: () => open(removeDialog(chosen, deeds)) }),
      })}
      empty={(width, height) => (
        <QueryNotice
          query={query}
          reading="Reading the enrolment tokens…"
          empty="No enrolment tokens."
          lines={['A token brings new hosts in, and opens nothing else. Press a to make one.']}
          width={width}
          height={height}
        />
      )}
    />
  );
}
