// Requests about the ledger: lines of each source by minute, and where lines were lost.
import {
  type ErrlogFacets,
  type ErrlogSource,
  type LedgerPage,
  type LedgerRow,
  type Line,
  LOSS_STAGES,
} from '@quarterdeck/core';
import type { Client } from '@quarterdeck/sdk';
import { distinctNames } from '@quarterdeck/views/errlog';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { rangeBounds } from '@quarterdeck/views/times';
import { useCallback } from 'react';
import { useDashboard } from './dashboard.ts';
import { useQuery } from './use-query.ts';
import { useRowQuery } from './use-row-query.ts';

/** Most sources that are read. */
const SOURCES_MAX = 10_000;
const EVERY_MS = 30_000;
const HOUR_S = 3_600;
const SERVICES_MAX = 20;

/** A source with its traffic of the last hour. */
export interface SourceRow extends ErrlogSource {
  /** A name that no other source has. */
  readonly title: string;
  /** Lines that were stored within the last hour. */
  readonly lines: number;
  /** Lines that were lost within the last hour; 0 also where their number is unknown. */
  readonly lost: number;
  /** Start of the last minute with lines, Unix seconds; null for none within the last hour. */
  readonly last: number | null;
}

/** Orders names with numbers: `web-2` before `web-10`. */
const byName = new Intl.Collator('en', { numeric: true });

/** The sources, and whether their traffic is whole. */
interface Sources {
  readonly rows: readonly SourceRow[];
  readonly total: number;
  /** False where the ledger of the last hour has more rows than an answer. */
  readonly isWhole: boolean;
}

/** The lost lines of a row. */
const lostIn = ({ dropped }: Pick<LedgerRow, 'dropped'>): number =>
  LOSS_STAGES.reduce((sum, stage) => sum + (dropped[stage] ?? 0), 0);

/** Adds the traffic of a ledger to sources. */
export function withTraffic(sources: readonly ErrlogSource[], ledger: LedgerPage): SourceRow[] {
  const names = distinctNames(sources.map(({ id, ...source }) => ({ ...source, src: id })));
  const bySource = Map.groupBy(ledger.data, ({ src }) => src);
  return sources.map((source) => {
    const rows = bySource.get(source.id) ?? [];
    const minutes = rows.filter(({ received }) => received > 0).map(({ minute }) => minute);
    return {
      ...source,
      title: names.get(source.id) ?? source.name,
      lines: rows.reduce((sum, { stored }) => sum + stored, 0),
      lost: rows.reduce((sum, row) => sum + lostIn(row), 0),
      last: minutes.length === 0 ? null : Math.max(...minutes),
    };
  });
}

async function readSources(client: Client, nowS: number, signal: AbortSignal): Promise<Sources> {
  const [sources, ledger] = await Promise.all([
    client.errlog.sources({ query: { page_size: SOURCES_MAX } }, { signal }),
    client.ledger.list({ query: { start_time: nowS - HOUR_S } }, { signal }),
  ]);
  return {
    rows: withTraffic(sources.data, ledger).sort((a, b) => byName.compare(a.title, b.title)),
    total: sources.meta.count,
    isWhole: ledger.meta.more === undefined,
  };
}

const NONE: readonly SourceRow[] = [];

/** Reads the sources with their traffic while `active`. */
export function useSources(active: boolean) {
  const { client, online, now } = useDashboard();
  const read = useCallback(
    (signal: AbortSignal) => readSources(client, Math.floor(now() / 1000), signal),
    [client, now],
  );
  const handle = useQuery(read, { enabled: online && active, everyMs: EVERY_MS });
  const { query } = handle;
  return {
    ...handle,
    rows: hasData(query) ? query.data.rows : NONE,
    total: hasData(query) ? query.data.total : 0,
    isWhole: !hasData(query) || query.data.isWhole,
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

/** Reads the ledger of the selected source in the shown range; in the last hour without one. */
export function useSourceRead(src: number | undefined, active: boolean): Query<SourceRead> {
  const { client, range, now } = useDashboard();
  const read = useCallback(
    async (signal: AbortSignal): Promise<SourceRead> => {
      const nowS = Math.floor(now() / 1000);
      const { start_time: startS = nowS - HOUR_S, end_time: endS = nowS } = rangeBounds(range, nowS);
      const [ledger, facets, lines] = await Promise.all([
        client.ledger.list({ query: { src: src ?? 0, start_time: startS, end_time: endS } }, { signal }),
        client.errlog.facets({ query: { src: src ?? 0, top: SERVICES_MAX } }, { signal }),
        client.line.list({ query: { src: src ?? 0, limit: 1 } }, { signal }),
      ]);
      return { ledger, services: facets.services, newest: lines.data[0], startS, endS };
    },
    [client, src, range, now],
  );
  return useRowQuery(src, read, { active, everyMs: EVERY_MS });
}
