// The errors: a list with filter, facets, chart and time range. All of it is in the address.
import './errors.css';
import { errlogFilterSource } from '@quarterdeck/views/errlog';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { ErrorRow } from '../../components/error-row.tsx';
import { FilterField } from '../../components/filter-field.tsx';
import { Histogram, levelBars } from '../../components/histogram.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Freshness, ReadState } from '../../components/read-state.tsx';
import { SortChoice } from '../../components/sort-choice.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { about } from '../../data/live.tsx';
import { boundsOf, rangeParams } from '../../data/range.ts';
import { useParams } from '../../data/use-params.ts';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { errorsText } from '../../text/errors.ts';
import { filterText } from '../../text/filter.ts';
import { plural } from '../../words/plural.ts';
import { ErrorsFacets } from './errors-facets.tsx';
import { chartQuery, errorsQuery } from './errors-query.ts';
import { useErrorRows } from './use-error-rows.ts';

const words = errorsText;
const FACET_TOP = 50;

/** Facets take no room from the rows of a wide window. */
const isWide = matchMedia('(min-width: 72rem)').matches;

const nowS = (): number => Math.floor(Date.now() / 1000);

export function Page() {
  const { client } = useSession();
  const [params, change] = useParams();
  const [, navigate] = useLocation();
  const key = params.toString();
  const query = useMemo(() => errorsQuery(new URLSearchParams(key)), [key]);
  const { range, sort, rollup, filter } = query;
  const source = useMemo(() => errlogFilterSource(client, filter, boundsOf(range, nowS())), [client, filter, range]);
  const [list, onRange] = useErrorRows(query, key);
  const chart = useRead(({ errlog }, call) => errlog.histogram({ query: chartQuery(query, nowS()) }, call), [query], {
    concerns: about('errlog'),
    key: `errors chart ${key}`,
    showsBefore: true,
  });
  const facets = useRead(
    ({ errlog }, call) => errlog.facets({ query: { ...filter, ...boundsOf(range, nowS()), top: FACET_TOP } }, call),
    [filter, range],
    { key: `errors facets ${key}`, showsBefore: true },
  );
  return (
    <>
      <PageHeader title={text.nav.errors}>
        <Freshness read={list} />
      </PageHeader>
      <div className="list-bar">
        <FilterField
          label={filterText.apply}
          value={filter.filter ?? ''}
          onApply={(next) => change({ filter: next })}
          source={source}
        />
        <div className="flow">
          <TimeRange range={range} onChange={(next) => change(rangeParams(next))} />
          <SortChoice label={words.sort} sorts={words.sorts} sort={sort} onChange={(next) => change({ sort: next })} />
          <label className="check">
            <input
              type="checkbox"
              checked={rollup}
              onChange={({ target }) => change({ rollup: target.checked ? '1' : undefined })}
            />
            {words.rollup}
          </label>
        </div>
      </div>
      {chart.data !== undefined && (
        <Histogram
          bars={levelBars(chart.data.buckets)}
          step={chart.data.step}
          noun={words.plural}
          onSelect={(startS, endS) => change(rangeParams({ kind: 'span', startS, endS: endS - 1 }))}
        />
      )}
      <div className="errors-body">
        <details className="errors-facets" open={isWide}>
          <summary>{words.facets}</summary>
          {facets.data !== undefined && <ErrorsFacets facets={facets.data} filter={filter} onChange={change} />}
        </details>
        <ReadState read={list} noun={words.noun}>
          {({ count, isComplete, at }) => (
            <div>
              {!isComplete && <p className="stale">{words.incomplete}</p>}
              <p className="muted" role="status">
                {count === 0 ? `${words.none} ${words.noneHint}` : plural(count, 'group')}
              </p>
              <VirtualList
                label={text.nav.errors}
                count={count}
                rowHeight={76}
                onRange={onRange}
                onOpen={(index) => {
                  const id = at(index)?.id;
                  if (id !== undefined) navigate(`/e/${id}`);
                }}
              >
                {(index) => {
                  const entry = at(index);
                  return entry === undefined ? (
                    <p className="row-waits">{words.notLoaded}</p>
                  ) : (
                    <ErrorRow entry={entry} />
                  );
                }}
              </VirtualList>
            </div>
          )}
        </ReadState>
      </div>
    </>
  );
}
