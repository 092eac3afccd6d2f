// One error: how often, since when, what changed before it first happened, its lines, and what to do about it.
import './error.css';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { clean, curlOf } from '@quarterdeck/views/text';
import { useParams } from 'wouter';
import { SERVER_URL } from '../../api/base.ts';
import { LevelBadge, StateBadge } from '../../components/badges.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Fact } from '../../components/fact.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Freshness, ReadState } from '../../components/read-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { about } from '../../data/live.tsx';
import { useRead } from '../../data/use-read.ts';
import { useMe } from '../../session/session.tsx';
import { errorText } from '../../text/error.ts';
import { numberText, shortTime } from '../../words/format.ts';
import { plural } from '../../words/plural.ts';
import { Changes } from './changes.tsx';
import { Chart } from './chart.tsx';
import { ErrorActions } from './error-actions.tsx';
import { Lines } from './lines.tsx';
import { SimilarAlerts } from './similar-alerts.tsx';

/** Longest title, characters: the lines have the rest. */
const TITLE_MAX = 300;

export function Page() {
  const id = Number(useParams()['id']);
  const me = useMe();
  const read = useRead((client, call) => client.errlog.get({ params: { id } }, call), [id], {
    concerns: about('errlog', id),
  });
  return (
    <ReadState read={read} noun={errorText.noun} title={errorText.title(id)}>
      {(entry) => (
        <article className="subject error">
          <PageHeader title={clean(entry.log.slice(0, TITLE_MAX))}>
            <Freshness read={read} />
          </PageHeader>
          <p className="flow">
            <LevelBadge level={entry.level} />
            {entry.state !== undefined && <StateBadge state={entry.state} />}
            <span>{entry.service || entry.source || entry.host}</span>
          </p>
          <Facts entry={entry} />
          {/* A read-only link reads the error and its lines, and nothing else. */}
          {me !== null && <Chart id={id} />}
          <Changes id={id} />
          <Lines entry={entry} />
          {me !== null && <SimilarAlerts id={id} />}
          {me !== null && <CopyCommands id={id} />}
          <ErrorActions entry={entry} onDone={read.refresh} />
        </article>
      )}
    </ReadState>
  );
}

function Facts({ entry }: { readonly entry: ErrlogEntry }) {
  const { count, log_time: last, first_seen: first = 0, source, host, service, until_time: until = 0, note } = entry;
  const facts = [
    [errorText.happened, plural(count, 'time')],
    [errorText.lastSeen, <Moment key="last" unixS={last} />],
    [errorText.firstSeen, first === 0 ? null : <Moment key="first" unixS={first} />],
    [errorText.source, source || host || null],
    [errorText.service, service || null],
    [errorText.mutedUntil, until === 0 ? entry.until || null : shortTime(until * 1000)],
    [
      errorText.proof,
      entry.proof === undefined ? null : errorText.proofs[entry.proof.state](numberText(entry.proof.seen)),
    ],
    [errorText.note, note || null],
  ] as const;
  return (
    <dl className="facts">
      {facts.map(([label, value]) =>
        value === null ? null : (
          <Fact key={label} name={label}>
            {value}
          </Fact>
        ),
      )}
    </dl>
  );
}

const Moment = ({ unixS }: { readonly unixS: number }) => (
  <>
    {shortTime(unixS * 1000)}, <RelativeTime ms={unixS * 1000} />
  </>
);

const CopyCommands = ({ id }: { readonly id: number }) => (
  <section>
    <h2>{errorText.copy}</h2>
    <div className="buttons">
      <CopyButton
        value={curlOf({ method: 'GET', url: `${SERVER_URL}/admin-api/log_server/errlog/${id}` })}
        label={errorText.asCurl}
      />
      <CopyButton value={`quarterdeck errors get ${id}`} label={errorText.asQuarterdeck} />
    </div>
  </section>
);
