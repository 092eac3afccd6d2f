// The screen of the sources: names, traffic, the ledger with its gaps, and the way to the errors.
import type { LedgerPage } from '@quarterdeck/core';
import { build } from '@quarterdeck/sdk/testing';
import { describe, expect, it } from 'vitest';
import { entry, FakeServer } from './fake-server.ts';
import { openTui } from './render-tui.tsx';

const minute = Math.floor(Date.now() / 60_000) * 60 - 600;

const ledger: LedgerPage = {
  data: [
    build.ledgerRow({
      src: 1,
      minute,
      read: 231,
      sent: 200,
      received: 200,
      stored: 200,
      grouped: 190,
      dropped: { missing: 31, flood: 10 },
    }),
    build.ledgerRow({ src: 2, minute, read: null, sent: null, received: 7, stored: 7, grouped: 7, dropped: {} }),
  ],
  meta: {
    complete: false,
    gaps: [{ src: 1, stage: 'missing', start_time: minute, end_time: minute + 180, lines: 31 }],
  },
};

describe('the sources', () => {
  it('have names, traffic and a ledger that names its gaps', async () => {
    const server = new FakeServer();
    server.errlog = [1, 2].map((n) =>
      entry(n, { source: `web-${n}`, src: n, log: `error of web-${n}`, fingerprint: `f${n}` }),
    );
    server.ledger = ledger;
    await using tui = await openTui('1 of 2', { server, columns: 100, rows: 40 });
    await tui.press('g', 's').until(/web-1 .* 200 +31/);
    expect(tui.text()).toMatch(/web-2 .* 7 /);
    await tui.press('d').until('▲ incomplete: 1 gap');
    const words = tui.text().replaceAll(/\s+/g, ' ');
    expect(words).toMatch(/\d\d:\d\d–(\w+ \d+ )?\d\d:\d\d, 31 lines: batches that never arrived/);
    expect(tui.text()).toMatch(/Read +231/);
    expect(tui.text()).toMatch(/Lost +31: batches that never arrived/);
    expect(tui.text()).toMatch(/Of these +10: stored in the group for too many new errors/);
    await tui.press('j').until('✓ complete: no line was lost', 'not counted by the sender');
    await tui.press('enter').until('[from web-2]');
  });

  it('are named in the filter of an error list without rows', async () => {
    const server = new FakeServer();
    await using tui = await openTui('● live', { server });
    await tui.type(':logs src=0\r').until('[from this server]');
  });
});
