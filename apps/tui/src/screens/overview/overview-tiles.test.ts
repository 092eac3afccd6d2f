import type { ApiToken } from '@quarterdeck/sdk';
import { build } from '@quarterdeck/sdk/testing';
import type { OverviewErrors } from '@quarterdeck/views/overview';
import type { Query } from '@quarterdeck/views/reads';
import type { SourceRow } from '@quarterdeck/views/sources';
import { describe, expect, it } from 'vitest';
import { glyphsOf } from '../../theme/glyphs.ts';
import { overviewTiles } from './overview-tiles.ts';

const NOW = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;
const ready = <T>(data: T): Query<T> => ({ status: 'ready', data, atMs: NOW });
const nothing = { errors: undefined, agents: undefined, sources: undefined, tokens: undefined };
const glyphs = glyphsOf({ ascii: false, charts: 'block' });

describe('the tiles of the overview', () => {
  it('show the number of groups of a level', () => {
    const meta = { complete: true };
    const buckets = [{ time: 0, count: 1, levels: [0, 0, 0, 0, 1, 0, 0, 0, 0] }];
    const errors: OverviewErrors = {
      range: null,
      top: [],
      facets: { levels: [{ level: 4, count: 164_480 }], states: [], sources: [], apps: [], services: [], meta },
      histogram: { start: 0, end: 60, step: 60, buckets, meta },
    };
    const tile = overviewTiles({ ...nothing, errors: ready(errors) }, NOW, glyphs, 3).find(({ id }) => id === 'levels');
    const text = tile
      ?.lines(60, 1)[0]
      ?.map((run) => run.text)
      .join('');
    expect(text).toMatch(/1 in 164k *$/);
  });

  it('say what there is none of', () => {
    const meta = { complete: true };
    const errors = ready<OverviewErrors>({
      top: [],
      range: null,
      facets: { levels: [], states: [], sources: [], apps: [], services: [], meta },
      histogram: { start: 0, end: 60, step: 60, buckets: [], meta },
    });
    const tiles = overviewTiles({ ...nothing, errors, sources: ready([]), tokens: ready([]) }, NOW, glyphs, 3);
    expect(tiles.map(({ lines }) => lines(60, 1)[0]?.[0]?.text)).toEqual([
      'No errors. Open this tile to see how to send the first one.',
      'No errors.',
      'No open errors or warnings.',
      'No API tokens.',
      'No sources.',
    ]);
  });

  it('claim nothing while they are read, and after a failure', () => {
    const failure = { kind: 'refused', message: 'Not now.', fields: {} } as const;
    for (const query of [{ status: 'loading' }, { status: 'failed', failure }] as const) {
      const tiles = overviewTiles({ agents: query, errors: query, sources: query, tokens: query }, NOW, glyphs, 3);
      for (const { lines } of tiles) expect(lines(60, 1)[0]?.[0]?.text).toMatch(/^(Reading…|Not now\.)$/);
    }
  });

  it('show the traffic of the sources, those that lose lines first', () => {
    const row = (id: number, over: Partial<SourceRow>): SourceRow => ({
      ...build.errlogSource({ id, name: `web-${id}` }),
      title: `web-${id}`,
      lines: 60,
      minutes: new Array<number>(60).fill(1),
      rate: 1,
      lost: 0,
      last: 0,
      ...over,
    });
    const sources = ready([row(1, {}), row(2, { rate: 840 }), row(3, { lost: 31 })]);
    const [tile] = overviewTiles({ ...nothing, sources }, NOW, glyphs, 3);
    const text = tile?.lines(60, 3).map((line) => line.map((run) => run.text).join('')) ?? [];
    expect(text[0]).toMatch(/^web-3 [█▄]+ +1\/min 31 lost/);
    expect(text[1]).toMatch(/^web-2 [█▄]+ +840\/min$/);
    expect(tile?.note).toBe('▲ 31 lines lost · last 1h');
    expect(tile?.targets?.map(({ screen }) => screen)).toEqual(['sources', 'errlog', 'errlog']);
  });

  it('count the expiring tokens', () => {
    const tokens = [DAY_MS, 300 * DAY_MS].map((life) => ({ name: 'ci', expire: NOW + life }) as ApiToken);
    const [tile] = overviewTiles({ ...nothing, tokens: ready(tokens) }, NOW, glyphs, 3);
    expect(tile?.note).toBe('1 of 2');
  });
});
