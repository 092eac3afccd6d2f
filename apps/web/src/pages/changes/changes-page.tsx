// Changes from outside, such as deployments, newest first; one of them with its effects. All of it is in the address.
import './changes.css';
import type { Change } from '@quarterdeck/sdk';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { FilterField } from '../../components/filter-field.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { boundsOf, rangeOf, rangeParams } from '../../data/range.ts';
import { useParams } from '../../data/use-params.ts';
import { useRead } from '../../data/use-read.ts';
import { useRowsMax } from '../../data/use-rows-max.ts';
import { changesText } from '../../text/changes.ts';
import { text } from '../../text/common.ts';
import { changeTitle } from '../../words/change.ts';
import { plural } from '../../words/plural.ts';
import { OneChange } from './one-change.tsx';

const words = changesText;

export function Page() {
  const [params, change] = useParams();
  const id = params.get('id') ?? '';
  return /^[1-9]\d{0,14}$/.test(id) ? <OneChange id={Number(id)} /> : <List params={params} change={change} />;
}

interface ListProps {
  readonly params: URLSearchParams;
  readonly change: ReturnType<typeof useParams>[1];
}

function List({ params, change }: ListProps) {
  const [, navigate] = useLocation();
  const [rowsMax, onRange] = useRowsMax();
  const key = params.toString();
  const { range, q } = useMemo(() => {
    const from = new URLSearchParams(key);
    return { range: rangeOf(from), q: from.get('q') || undefined };
  }, [key]);
  const read = useRead(
    (client, call) =>
      client.change.list(
        { query: { ...boundsOf(range, Math.floor(Date.now() / 1000)), q, start: 0, end: rowsMax } },
        call,
      ),
    [range, q, rowsMax],
  );
  return (
    <>
      <PageHeader title={text.nav.changes} />
      <div className="list-bar">
        <FilterField label={words.search} value={q ?? ''} onApply={(next) => change({ q: next })} source={null} />
        <TimeRange range={range} onChange={(next) => change(rangeParams(next))} />
      </div>
      <ReadState read={read} noun={words.noun}>
        {({ data, meta }) => (
          <div>
            <p className="muted" role="status">
              {data.length === 0 ? `${words.none} ${words.noneHint}` : plural(meta.count, words.change)}
            </p>
            <VirtualList
              label={text.nav.changes}
              count={data.length}
              rowHeight={76}
              onRange={(_from, to) => onRange(to, data.length)}
              onOpen={(index) => navigate(`/changes?id=${data[index]?.id}`)}
            >
              {(index) => {
                const one = data[index];
                return one === undefined ? null : <Row change={one} />;
              }}
            </VirtualList>
          </div>
        )}
      </ReadState>
    </>
  );
}

const Row = ({ change }: { readonly change: Change }) => (
  <article>
    <p className="row-title">
      <Link href={`/changes?id=${change.id}`} className="row-link">
        {changeTitle(change)}
      </Link>
    </p>
    <p className="row-facts">
      <RelativeTime ms={change.time * 1000} />
      <span>
        {change.host_count === 0 && change.agents === 0 ? words.everywhere : words.of(plural(change.agents, 'host'))}
      </span>
      {change.service !== '' && <span>{change.service}</span>}
      {change.author !== '' && <span>{words.by(change.author)}</span>}
    </p>
  </article>
);
