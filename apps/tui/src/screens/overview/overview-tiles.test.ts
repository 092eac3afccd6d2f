import type { ApiToken } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { glyphsOf } from '../../components/glyphs.ts';
import type { OverviewErrors } from '../../data/ahead.ts';
import type { Query } from '../../data/query.ts';
import { overviewTiles } from './overview-tiles.ts';

const NOW = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;
const ready = <T>(data: T): Query<T> => ({ status: 'ready', data, atMs: NOW });
const nothing = { errors: undefined, agents: undefined, tokens: undefined };
const glyphs = glyphsOf({ ascii: false, charts: 'block' });

describe('the tiles of the overview', () => {
  it('show the number of groups of a level', () => {
    const errors: OverviewErrors = {
      top: [],
      facets: { levels: [{ level: 4, count: 164_480 }], states: [], sources: [], apps: [], services: [] },
      histogram: { start: 0, end: 60, step: 60, buckets: [{ time: 0, count: 1, levels: [0, 0, 0, 0, 1, 0, 0, 0, 0] }] },
    };
    const tile = overviewTiles({ ...nothing, errors: ready(errors) }, NOW, glyphs, 3).find(({ id }) => id === 'levels');
    const text = tile
      ?.lines(60, 1)[0]
      ?.map((run) => run.text)
      .join('');
    expect(text).toMatch(/1 in 164k *$/);
  });

  it('count the expiring tokens', () => {
    const tokens = [DAY_MS, 300 * DAY_MS].map((life) => ({ name: 'ci', expire: NOW + life }) as ApiToken);
    const [tile] = overviewTiles({ ...nothing, tokens: ready(tokens) }, NOW, glyphs, 3);
    expect(tile?.note).toBe('1 of 2');
  });
});
