// The first page: open alerts, new errors, hosts that are away. Short, because it is read at night.
import './overview.css';
import type { Access } from '@quarterdeck/core/plain';
import type { ReactNode } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { OpenAlerts } from './open-alerts.tsx';
import { OpenErrors } from './open-errors.tsx';
import { UnwellHosts } from './unwell-hosts.tsx';

const PARTS: readonly (readonly [access: Access, part: () => ReactNode])[] = [
  ['alert:read', OpenAlerts],
  ['errlog:read', OpenErrors],
  ['agent:read', UnwellHosts],
];

export function Page() {
  const { can } = useSession();
  return (
    <>
      <PageHeader title={text.nav.overview} />
      <div className="overview">{PARTS.map(([access, Part]) => (can(access) ? <Part key={access} /> : null))}</div>
    </>
  );
}
