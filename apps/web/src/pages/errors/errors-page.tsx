// The errors: a list with filter, facets, chart and time range. All of it is in the address.
import './errors.css';
import { useCallback, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { ErrorRow } from '../../components/error-row.tsx';
import { FilterField } from '../../components/filter-field.tsx';
import { Histogram } from '../../components/histogram.tsx';
import { levelTone } from '../../components/level-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Freshness, ReadState } from '../../components/read-state.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import type { LiveEvent } from '../../data/live.tsx';
import { boundsOf, rangeParams } from '../../data/range.ts';
import { useParams } from '../../data/use-params.ts';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { errorsText } from '../../text/errors.ts';
import { filterText } from '../../text/filter.ts';
import { plural } from '../../words/plural.ts';
import { ErrorsFacets } from './errors-facets.tsx';
import { chartQuery, errorsQuery, SORTS } from './errors-query.ts';

const words = errorsText;
/** Rows of the first read, and of each further one. */
const BLOCK = 200;
/** Rows that the server sends at most. */
const ROWS_MAX = 10_000;
const FACET_TOP = 50;

/** Facets take no room from the rows of a wide window. */
const isWide = matchMedia('(min-width: 72rem)').matches;

const isAboutErrors = ({ type }: LiveEvent): boolean => type.startsWith('errlog.');
const nowS = (): number => Math.floor(Date.now() / 1000);

/** The page. */
export function Page() {
  const { client } = useSession();
  const [params, change] = useParams();
  const [, navigate] = useLocation();
  const [rowsMax, setRowsMax] = useState(BLOCK);
  const key = params.toString();
  const query = useMemo(() => errorsQuery(new URLSearchParams(key)), [key]);
  const { range, sort, rollup, filter } = query;

  const list = useRead(
    useCallback(
      (signal) =>
        client.errlog.list(
          { query: { ...filter, ...boundsOf(range, nowS()), sort, rollup, start: 0, end: rowsMax, detail: 1 } },
          { signal },
        ),
      [client, filter, range, sort, rollup, rowsMax],
    ),
    { concerns: isAboutErrors, key: `errors ${key}`, showsBefore: true },
  );
  const chart = useRead(
    useCallback((signal) => client.errlog.histogram({ query: chartQuery(query, nowS()) }, { signal }), [client, query]),
    { concerns: isAboutErrors, key: `errors chart ${key}`, showsBefore: true },
  );
  const facets = useRead(
    useCallback(
      (signal) =>
        client.errlog.facets({ query: { ...filter, ...boundsOf(range, nowS()), top: FACET_TOP } }, { signal }),
      [client, filter, range],
    ),
    { key: `errors facets ${key}`, showsBefore: true },
  );
  const rows = list.data?.data ?? [];
  const onRange = (_from: number, to: number): void => {
    if (to + BLOCK / 2 > rowsMax && rows.length === rowsMax) setRowsMax(Math.min(ROWS_MAX, rowsMax + BLOCK));
  };

  return (
    <>
      <PageHeader title={text.nav.errors}>
        <Freshness read={list} />
      </PageHeader>
      <div className="errors-bar">
        <FilterField
          label={filterText.apply}
          value={filter.filter ?? ''}
          onApply={(next) => change({ filter: next })}
          suggest={() => null}
          problemOf={() => null}
        />
        <div className="errors-choices">
          <TimeRange range={range} onChange={(next) => change(rangeParams(next))} />
          <label className="choice">
            <span className="visually-hidden">{words.sort}</span>
            <select value={sort} onChange={({ target }) => change({ sort: target.value })}>
              {SORTS.map((one) => (
                <option key={one} value={one}>
                  {words.sorts[one as keyof typeof words.sorts]}
                </option>
              ))}
            </select>
          </label>
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
          bars={chart.data.buckets.map(({ time, count, levels }) => ({
            time,
            count,
            bad: levels.reduce((sum, n, level) => (levelTone(level) === 'bad' ? sum + n : sum), 0),
          }))}
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
          {({ data, meta }) => (
            <div>
              {meta.complete === false && <p className="stale">{words.incomplete}</p>}
              <p className="muted" role="status">
                {data.length === 0 ? `${words.none} ${words.noneHint}` : plural(meta.count, 'group')}
              </p>
              <VirtualList
                label={text.nav.errors}
                count={data.length}
                rowHeight={76}
                onRange={onRange}
                onOpen={(index) => navigate(`/e/${data[index]?.id}`)}
              >
                {(index) => {
                  const entry = data[index];
                  return entry === undefined ? words.notLoaded : <ErrorRow entry={entry} />;
                }}
              </VirtualList>
            </div>
          )}
        </ReadState>
      </div>
    </>
  );
}
