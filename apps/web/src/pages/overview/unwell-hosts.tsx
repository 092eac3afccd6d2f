import type { Agent } from '@quarterdeck/sdk';
import { Link } from 'wouter';
import { ReadState } from '../../components/read-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { about } from '../../data/live.tsx';
import { useRead } from '../../data/use-read.ts';
import { overviewText } from '../../text/overview.ts';
import { numberText } from '../../words/format.ts';
import { plural } from '../../words/plural.ts';

const words = overviewText;
const SHOWN = 6;

/** The hosts that are silent and not in maintenance, those that went away last first. */
export function UnwellHosts() {
  const read = useRead(
    async ({ agent }, call) => {
      const query = { state: 'offline', maintenance: false, sort: '-state_since', detail: 1 } as const;
      const [totals, away] = await Promise.all([
        agent.totals({}, call),
        agent.list.page({ query: { ...query, _page: 1, _pagesize: SHOWN } }, call),
      ]);
      return { totals, away: away.data, count: away.meta.count };
    },
    [],
    { concerns: about('agent'), key: 'overview hosts' },
  );
  return (
    <section className="card">
      <h2>{words.hosts}</h2>
      <ReadState read={read} noun={words.hostsNoun}>
        {({ totals, away, count }) => (
          <>
            <p className={count === 0 ? 'all-well' : ''}>
              {words.online(numberText(totals.online), plural(totals.count, 'host'))}
              {totals.bad_kernel > 0 && `, ${words.badKernel(numberText(totals.bad_kernel))}`}
              {totals.cloned > 0 && `, ${words.cloned(numberText(totals.cloned))}`}
            </p>
            {away.length > 0 && (
              <ul className="rows">
                {away.map((agent) => (
                  <HostRow key={agent.id} agent={agent} />
                ))}
              </ul>
            )}
            {count > away.length && (
              <Link href="/h?state=offline" className="button">
                {words.allHosts(plural(count, 'host'))}
              </Link>
            )}
          </>
        )}
      </ReadState>
    </section>
  );
}

const HostRow = ({ agent: { id, hostname, state_since: since = 0, state = 'offline' } }: { readonly agent: Agent }) => (
  <li className="row">
    <p className="row-title">
      <Link href={`/h/${id}`} className="row-link">
        {hostname || `#${id}`}
      </Link>
    </p>
    <p className="row-facts">
      <span className="badge badge-bad">{state}</span>
      {since > 0 && (
        <span>
          {words.since} <RelativeTime ms={since * 1000} />
        </span>
      )}
    </p>
  </li>
);
