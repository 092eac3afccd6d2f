import { describe, expect, it } from 'vitest';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const api = useSteadyApi();

const append = (log: string, count: number, more: Record<string, unknown> = {}) =>
  api.admin.errlog.append({ body: { level: 'error', log, count, ...more } });

describe('POST /admin-api/alert/preview', () => {
  it('counts the new groups of the last 24 hours', async () => {
    const wanted = word();
    await append(`${wanted} one`, 1, { service: 'shop' });
    await append(`${wanted} two`, 1, { service: 'shop' });
    const preview = await api.admin.alert.preview({ body: { when: { kind: 'errlog.new' }, filter: wanted } });
    expect(preview).toMatchObject({ fired: 2, causes: 2, complete: true, why_incomplete: null });
    expect(preview.examples.map(({ title }) => title)).toEqual(
      expect.arrayContaining([`New error on admin (shop): ERROR: ${wanted} one`]),
    );
  });

  it('counts no occurrences as of the 24 hours that are older', async () => {
    const log = word();
    const fromS = Math.floor(api.now() / 60_000) * 60 - 86_400;
    await append(log, 20, { log_time: fromS - 120 });
    const { examples } = await api.admin.alert.preview({
      body: { when: { kind: 'errlog.count', count: 10 }, filter: log },
    });
    // Still more than 10 in 5 minutes when the 24 hours begin.
    expect(examples.map(({ time }) => time)).toEqual([fromS]);
  });
});
