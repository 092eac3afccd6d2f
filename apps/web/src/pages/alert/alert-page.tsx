// One alert: what, since when, how often, what changed before, where, and what to do about it.
import './alert.css';
import type { AlertInstance } from '@quarterdeck/sdk';
import { alertState, alertTitle, countText, hostsText, peopleParts } from '@quarterdeck/views/alerts';
import { clean } from '@quarterdeck/views/text';
import { Link, useParams } from 'wouter';
import { LevelBadge } from '../../components/badges.tsx';
import { Fact } from '../../components/fact.tsx';
import { LineList } from '../../components/line-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Freshness, ReadState } from '../../components/read-state.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { SafeLink } from '../../components/safe-link.tsx';
import { about } from '../../data/live.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { alertText } from '../../text/alert.ts';
import { shortTime } from '../../words/format.ts';
import { AlertActions } from './alert-actions.tsx';
import { Cause } from './cause.tsx';

const words = alertText;

export function Page() {
  const id = Number(useParams()['id']);
  const read = useRead((client, call) => client.alert.instance({ params: { id } }, call), [id], {
    concerns: about('alert'),
  });
  return (
    <ReadState read={read} noun={words.noun} title={words.title(id)}>
      {(alert) => (
        <article className="subject">
          <PageHeader title={alertTitle(alert)}>
            <Freshness read={read} />
          </PageHeader>
          <State alert={alert} />
          <Facts alert={alert} />
          {alert.incomplete.length > 0 && (
            <section className="stale">
              <h2>{words.incomplete}</h2>
              <ul>
                {alert.incomplete.map((why) => (
                  <li key={why}>{why}</li>
                ))}
              </ul>
            </section>
          )}
          <Cause alert={alert} />
          <Lines alert={alert} />
          <Others alert={alert} />
          <AlertActions alert={alert} onDone={read.refresh} />
        </article>
      )}
    </ReadState>
  );
}

interface AlertProps {
  readonly alert: AlertInstance;
}

function State({ alert }: AlertProps) {
  const { text: state, tone } = alertState(alert);
  return (
    <p className="flow">
      <span className={`badge badge-${tone}`}>{state}</span>
      {alert.what !== null && <LevelBadge level={alert.what.level} />}
      {alert.what !== null && <span>{alert.what.service || alert.what.source}</span>}
      <span className="muted">{alert.rule}</span>
    </p>
  );
}

function Facts({ alert }: AlertProps) {
  const { since, resolved, counts, hosts, vitals, also } = alert;
  const now = useNow();
  const facts = [
    ...(counts === null ? [] : [[words.count, countText(counts, now)]]),
    ...(hosts === null ? [] : [[words.hosts, hostsText(hosts)]]),
    ...(vitals.length === 0 ? [] : [[words.vitals, vitals.map(clean).join(' ')]]),
    ...peopleParts(alert, now).map(({ label, values }) => [label, values.join(' ')]),
    ...(also.length === 0 ? [] : [[words.also, also.map(clean).join(', ')]]),
  ];
  return (
    <dl className="facts">
      <Fact name={words.since}>
        {shortTime(since * 1000)}, <RelativeTime ms={since * 1000} />
      </Fact>
      {resolved !== null && resolved > since && <Fact name={words.ended}>{shortTime(resolved * 1000)}</Fact>}
      {facts.map(([label, value]) => (
        <Fact key={label} name={label}>
          {value}
        </Fact>
      ))}
    </dl>
  );
}

function Lines({ alert: { lines, groups } }: AlertProps) {
  const { can } = useSession();
  if (lines.length === 0) return null;
  return (
    <section>
      <h2>{words.lines(lines.length)}</h2>
      <LineList lines={lines} />
      {can('errlog:read') && groups.length > 0 && (
        <p>
          <Link href={`/lines?filter=${encodeURIComponent(groups.map((id) => `group:${id}`).join(' OR '))}`}>
            {words.allLines}
          </Link>
        </p>
      )}
    </section>
  );
}

function Others({ alert: { groups, links, messages } }: AlertProps) {
  const { can } = useSession();
  return (
    <section>
      <h2>{words.more}</h2>
      <ul className="links">
        {can('errlog:read') &&
          groups.map((id) => (
            <li key={id}>
              <Link href={`/e/${id}`}>{words.error(id)}</Link>
            </li>
          ))}
        {links.runbook !== null && (
          <li>
            <SafeLink href={links.runbook}>{words.runbook}</SafeLink>
          </li>
        )}
        {links.issue !== null && (
          <li>
            <SafeLink href={links.issue}>{words.issue}</SafeLink>
          </li>
        )}
      </ul>
      <p className="muted">{words.messages(messages)}</p>
    </section>
  );
}
