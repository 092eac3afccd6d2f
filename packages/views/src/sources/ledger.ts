// Lines of each source by minute, and where lines were lost.
import { LOSS_STAGES } from '@quarterdeck/core/plain';
import type { Client, ErrlogFacets, ErrlogSource, LedgerPage, LedgerRow, Line } from '@quarterdeck/sdk';
import { distinctNames } from '../errlog/source-names.ts';
import { count } from '../text/format.ts';
import { rangeBounds, type TimeRange } from '../times/range.ts';

/** Most sources that are read. */
const SOURCES_MAX = 10_000;
const HOUR_S = 3_600;
const SERVICES_MAX = 20;
const MINUTE_S = 60;
const MINUTES = HOUR_S / MINUTE_S;
/** Minutes of the rate of now; the minute that still goes on does not count. */
const RATE_MINUTES = 5;

/** A source with its traffic of the last hour. */
export interface SourceRow extends ErrlogSource {
  /** A name that no other source has. */
  readonly title: string;
  /** Lines that were stored within the last hour. */
  readonly lines: number;
  /** Stored lines of each minute of the last hour, the oldest first. */
  readonly minutes: readonly number[];
  /** Lines per minute in the last five minutes. */
  readonly rate: number;
  /** Lines that were lost within the last hour; 0 also where their number is unknown. */
  readonly lost: number;
  /** Start of the last minute with lines, Unix seconds; null for none within the last hour. */
  readonly last: number | null;
}

/** The rate of now: `84/min`; empty for a source that is silent. */
export const rateText = ({ rate }: Pick<SourceRow, 'rate'>): string => {
  if (rate === 0) return '';
  return `${rate < 10 ? Number(rate.toFixed(1)) : count(Math.round(rate))}/min`;
};

/** Orders names with numbers: `web-2` before `web-10`. */
const byName = new Intl.Collator('en', { numeric: true });

/** The sources, and whether their traffic is whole. */
export interface Sources {
  readonly rows: readonly SourceRow[];
  readonly total: number;
  /** False where the ledger of the last hour has more rows than an answer. */
  readonly isWhole: boolean;
}

/** The lost lines of a row. */
const lostIn = ({ dropped }: Pick<LedgerRow, 'dropped'>): number =>
  LOSS_STAGES.reduce((sum, stage) => sum + (dropped[stage] ?? 0), 0);

/** Stored lines by minute, in the hour that ends with the minute before `nowS`. */
function minutesOf(rows: readonly LedgerRow[], nowS: number): number[] {
  const counts = new Array<number>(MINUTES).fill(0);
  const first = Math.floor(nowS / MINUTE_S) - MINUTES;
  for (const { minute, stored } of rows) {
    const at = minute / MINUTE_S - first;
    if (counts[at] !== undefined) counts[at] += stored;
  }
  return counts;
}

/** Adds the traffic of a ledger to sources. */
export function withTraffic(sources: readonly ErrlogSource[], ledger: LedgerPage, nowS: number): SourceRow[] {
  const names = distinctNames(sources.map(({ id, ...source }) => ({ ...source, src: id })));
  const bySource = Map.groupBy(ledger.data, ({ src }) => src);
  return sources.map((source) => {
    const rows = bySource.get(source.id) ?? [];
    const received = rows.filter((row) => row.received > 0).map(({ minute }) => minute);
    const minutes = minutesOf(rows, nowS);
    return {
      ...source,
      title: names.get(source.id) ?? source.name,
      lines: rows.reduce((sum, { stored }) => sum + stored, 0),
      lost: rows.reduce((sum, row) => sum + lostIn(row), 0),
      minutes,
      rate: minutes.slice(-RATE_MINUTES).reduce((sum, n) => sum + n, 0) / RATE_MINUTES,
      last: received.length === 0 ? null : Math.max(...received),
    };
  });
}

/** Reads the sources with their traffic. */
export async function readSources(client: Client, nowS: number, signal: AbortSignal): Promise<Sources> {
  const [sources, ledger] = await Promise.all([
    client.errlog.sources({ query: { page_size: SOURCES_MAX } }, { signal }),
    client.ledger.list({ query: { start_time: nowS - HOUR_S } }, { signal }),
  ]);
  return {
    rows: withTraffic(sources.data, ledger, nowS).sort((a, b) => byName.compare(a.title, b.title)),
    total: sources.meta.count,
    isWhole: ledger.meta.more === undefined,
  };
}

/** Everything that the details of a source show. */
export interface SourceRead {
  readonly ledger: LedgerPage;
  readonly services: ErrlogFacets['services'];
  /** The newest stored line; undefined for none. */
  readonly newest: Line | undefined;
  /** The span of the ledger, Unix seconds. */
  readonly startS: number;
  readonly endS: number;
}

/** Reads the ledger of a source in a range; in the last hour without one. */
export async function readSource(
  client: Client,
  src: number,
  range: TimeRange | null,
  nowS: number,
  signal: AbortSignal,
): Promise<SourceRead> {
  const { start_time: startS = nowS - HOUR_S, end_time: endS = nowS } = rangeBounds(range, nowS);
  const [ledger, facets, lines] = await Promise.all([
    client.ledger.list({ query: { src, start_time: startS, end_time: endS } }, { signal }),
    client.errlog.facets({ query: { src, top: SERVICES_MAX } }, { signal }),
    client.line.list({ query: { src, limit: 1 } }, { signal }),
  ]);
  return { ledger, services: facets.services, newest: lines.data[0], startS, endS };
}
