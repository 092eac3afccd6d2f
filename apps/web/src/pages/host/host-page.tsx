// One host: its state, its facts, and what changed on it; now or at a moment of the last 30 days.
import './host.css';
import type { Agent } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { Link, useParams as usePathParams } from 'wouter';
import { Fact } from '../../components/fact.tsx';
import { HostState } from '../../components/host-state.tsx';
import { Moment, momentOf } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Freshness, ReadState } from '../../components/read-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { about } from '../../data/live.tsx';
import { useParams } from '../../data/use-params.ts';
import { useRead } from '../../data/use-read.ts';
import { text } from '../../text/common.ts';
import { hostsText } from '../../text/hosts.ts';
import { fullTime, numberText } from '../../words/format.ts';
import { narrowed } from '../../words/narrowed.ts';
import { HostHistory } from './host-history.tsx';
import { HostVitals } from './host-vitals.tsx';

const words = hostsText;

export function Page() {
  const id = Number(usePathParams<{ id: string }>().id);
  const [params, change] = useParams();
  const at = momentOf(params);
  const read = useRead(
    (client, call) => client.agent.get({ params: { id }, query: { detail: 1, include_deleted: true, at } }, call),
    [id, at],
    { concerns: about('agent', id) },
  );
  const onMoment = useCallback(
    (next: number | undefined) => change({ at: next === undefined ? undefined : String(next) }),
    [change],
  );
  return (
    <ReadState read={read} noun={words.one} title={text.nav.hosts}>
      {(agent) => (
        <>
          <PageHeader title={agent.hostname || agent.node_id}>
            {at === undefined ? (
              <Freshness read={read} />
            ) : (
              <p className="freshness">{words.asOf(fullTime(at * 1000))}</p>
            )}
          </PageHeader>
          <div className="host">
            <p className="row-facts">
              <HostState agent={agent} />
            </p>
            <Moment at={at} onChange={onMoment} />
            {agent.unknown !== undefined && agent.unknown.length > 0 && (
              <p className="muted">{words.unknown(agent.unknown.join(', '))}</p>
            )}
            <div className="buttons">
              <Link href={`/e?filter=${encodeURIComponent(narrowed('', 'host', agent.hostname))}`} className="button">
                {words.errors}
              </Link>
              <Link
                href={`/lines?filter=${encodeURIComponent(narrowed('', 'host', agent.hostname))}`}
                className="button"
              >
                {words.lines}
              </Link>
            </div>
            <Facts agent={agent} />
            <HostVitals id={id} at={at} />
            <HostHistory id={id} at={at} />
          </div>
        </>
      )}
    </ReadState>
  );
}

function Facts({ agent }: { readonly agent: Agent }) {
  const { facts } = words;
  const { system_version: system, shipper, labels = {}, boot_time: boot = 0, started = 0 } = agent;
  const rows: readonly (readonly [string, string])[] = [
    [facts.address, agent.ip],
    [facts.node, agent.node_id],
    [facts.env, agent.env],
    [facts.system, agent.system_name || system.kernel_distro],
    [facts.kernel, system.kernel],
    [facts.libc, system.libc],
    [
      facts.labels,
      Object.entries(labels)
        .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
        .join(', '),
    ],
    [facts.note, agent.note],
    [facts.shipped, shipper == null ? '' : numberText(shipper.lines)],
    [facts.waiting, shipper == null || shipper.bytes_waiting === 0 ? '' : `${numberText(shipper.bytes_waiting)} B`],
    [facts.dropped, shipper == null || shipper.lines_dropped === 0 ? '' : numberText(shipper.lines_dropped)],
  ];
  const times: readonly (readonly [string, number])[] = [
    [facts.reported, agent.last_reported],
    [facts.boot, boot],
    [facts.started, started],
  ];
  return (
    <dl className="facts card">
      {rows
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      {times
        .filter(([, timeS]) => timeS > 0)
        .map(([name, timeS]) => (
          <Fact key={name} name={name}>
            <RelativeTime ms={timeS * 1000} />
          </Fact>
        ))}
    </dl>
  );
}
