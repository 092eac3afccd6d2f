// The lines: search, chart, live lines with a hold, the lines around one, export. All of it is in the address.
import { lineFilterSource } from '@quarterdeck/views/errlog';
import '../../components/line-list.css';
import './lines.css';
import { type FormEvent, useCallback, useEffect, useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { FilterField } from '../../components/filter-field.tsx';
import { Histogram, levelBars } from '../../components/histogram.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { boundsOf, rangeParams } from '../../data/range.ts';
import { useParams } from '../../data/use-params.ts';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { filterText } from '../../text/filter.ts';
import { linesText } from '../../text/lines.ts';
import { numberText } from '../../words/format.ts';
import { narrowed } from '../../words/narrowed.ts';
import { plural } from '../../words/plural.ts';
import { LineRow } from './line-row.tsx';
import { LinesAround } from './lines-around.tsx';
import { LinesExport } from './lines-export.tsx';
import { type LinesQuery, linesQuery, requestOf } from './lines-query.ts';
import type { LinesState } from './lines-state.ts';
import { useLines } from './use-lines.ts';

const words = linesText;
/** Bars of the chart. */
const BARS = 60;
/** Older lines are read when fewer than these are left below. */
const AHEAD = 100;
/** A list that is scrolled down further is being read: new lines wait. Pixels. */
const READING_PX = 200;

const nowS = (): number => Math.floor(Date.now() / 1000);

export function Page() {
  const { client } = useSession();
  const [params, change] = useParams();
  const key = params.toString();
  const query = useMemo(() => linesQuery(new URLSearchParams(key)), [key]);
  const { range, filters, around, columns, isLive } = query;
  const chart = useRead(
    ({ line }, call) => line.histogram({ query: { ...requestOf(query, nowS()), buckets: BARS } }, call),
    [query],
    { enabled: around === undefined },
  );
  const source = useMemo(() => lineFilterSource(client, boundsOf(range, nowS())), [client, range]);
  const narrow = useCallback(
    (name: string, value: string) => change({ filter: narrowed(filters.filter, name, value), around: undefined }),
    [change, filters.filter],
  );

  return (
    <>
      <PageHeader title={text.nav.lines} />
      <div className="list-bar">
        <FilterField
          label={filterText.apply}
          value={filters.filter ?? ''}
          onApply={(next) => change({ filter: next, around: undefined })}
          source={source}
        />
        <div className="flow">
          <TimeRange range={range} onChange={(next) => change({ ...rangeParams(next), around: undefined })} />
          {around === undefined && !(range.kind === 'span' && range.endS !== undefined) && (
            <Button aria-pressed={isLive} onClick={() => change({ live: isLive ? undefined : '1' })}>
              {words.live}
            </Button>
          )}
        </div>
        <details>
          <summary>{`${words.columns}, ${words.export}`}</summary>
          <Columns columns={columns} onApply={(next) => change({ columns: next })} />
          <LinesExport query={query} />
        </details>
      </div>
      {around !== undefined ? (
        <LinesAround id={around} columns={columns} onChange={change} onNarrow={narrow} />
      ) : (
        <>
          {chart.data !== undefined && (
            <Histogram
              bars={levelBars(chart.data.buckets)}
              step={chart.data.step}
              noun={words.plural}
              onSelect={(startS, endS) =>
                change({ ...rangeParams({ kind: 'span', startS, endS: endS - 1 }), live: undefined })
              }
            />
          )}
          <LineListing query={query} onChange={change} onNarrow={narrow} />
        </>
      )}
    </>
  );
}

interface ColumnsProps {
  readonly columns: readonly string[];
  readonly onApply: (columns: string) => void;
}

function Columns({ columns, onApply }: ColumnsProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onApply(String(new FormData(event.currentTarget).get('columns') ?? ''));
  };
  return (
    <form className="lines-columns" onSubmit={submit}>
      <input
        name="columns"
        aria-label={words.columns}
        placeholder={words.columnsHint}
        defaultValue={columns.join(', ')}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit">{words.apply}</Button>
    </form>
  );
}

interface ListingProps {
  readonly query: LinesQuery;
  readonly onChange: Parameters<typeof LineRow>[0]['onChange'];
  readonly onNarrow: (name: string, value: string) => void;
}

function LineListing({ query, onChange, onNarrow }: ListingProps) {
  const { state, hold, readOlder, refresh } = useLines(query);
  const [open, setOpen] = useState<string | null>(null);
  const { isLive, columns } = query;

  // New lines wait for a reader further down, who keeps the place.
  useEffect(() => {
    if (!isLive) return;
    const onScroll = (): void => {
      if (window.scrollY > READING_PX) hold(true);
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, [isLive, hold]);

  const { atMs, failure } = state;
  return (
    <ReadState read={{ data: atMs === undefined ? undefined : state, atMs, failure, refresh }} noun={words.noun}>
      {() => (
        <div>
          {!state.isComplete && <p className="stale">{words.incomplete}</p>}
          <Status state={state} isLive={isLive} hold={hold} />
          <VirtualList
            label={text.nav.lines}
            count={state.lines.length}
            rowHeight={64}
            onRange={(_from, to) => {
              if (to + AHEAD > state.lines.length) readOlder();
            }}
            onOpen={(index) => setOpen(state.lines[index]?.id ?? null)}
          >
            {(index) => {
              const line = state.lines[index];
              return line === undefined ? null : (
                <LineRow
                  line={line}
                  columns={columns}
                  isOpen={open === line.id}
                  onToggle={() => {
                    if (isLive) hold(true);
                    setOpen(open === line.id ? null : line.id);
                  }}
                  onChange={onChange}
                  onNarrow={onNarrow}
                />
              );
            }}
          </VirtualList>
          {state.lines.length > 0 && (
            <p className="muted" role="status">
              {state.before === null ? words.oldest : words.older}
            </p>
          )}
        </div>
      )}
    </ReadState>
  );
}

interface StatusProps {
  readonly state: LinesState;
  readonly isLive: boolean;
  readonly hold: (isHeld: boolean) => void;
}

function Status({ state: { lines, waiting, isHeld, missed }, isLive, hold }: StatusProps) {
  if (!isLive) {
    return lines.length === 0 ? (
      <p className="muted" role="status">
        {words.none} {words.noneHint}
      </p>
    ) : null;
  }
  const release = (): void => {
    window.scrollTo({ top: 0 });
    hold(false);
  };
  return (
    <div className="flow">
      <Button aria-pressed={isHeld} onClick={() => (isHeld ? release() : hold(true))}>
        {words.hold}
      </Button>
      {waiting.length > 0 && <span>{words.held(plural(waiting.length, words.line))}</span>}
      {missed > 0 && <span className="muted">{words.missed(numberText(missed))}</span>}
    </div>
  );
}
