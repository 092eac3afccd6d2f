// Under the list of errors: complete, or why not, and why there is none.
import { expect, it } from 'vitest';
import { entry, FakeServer } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

const nowS = Math.floor(Date.now() / 1000);

it('says why the list is not complete', async () => {
  const server = new FakeServer();
  server.errlog = [entry(1)];
  server.errlogMeta = { complete: false };
  const gap = { src: 1, stage: 'missing', start_time: nowS - 900, end_time: nowS - 720, lines: 31 } as const;
  server.ledger = { data: [], meta: { complete: false, gaps: [gap] } };
  await using tui = await openTui(/▲ Incomplete: lost on web-1, .*\d\d:\d\d–.*31 lines/, { server });
  expect(tui.lines()[1]).toContain('incomplete');
  server.errlogMeta = { complete: true };
  await tui.press('r').untilGone(/ncomplete/);
});

it('says why there is no error', async () => {
  const server = new FakeServer();
  server.errlogMeta = { complete: true, why_empty: 'silent', silent_since: nowS - 7_200 };
  await using tui = await openTui('No errors.', { server });
  // The time has a date where it is of yesterday, so the end of a line may be anywhere.
  const words = tui.text().replaceAll(/\s+/g, ' ');
  expect(words).toMatch(/The sources sent no lines in this time; their last line is of .*\d\d:\d\d\./);
});
