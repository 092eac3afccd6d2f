// The lines of an error, read on a real terminal of 80 by 24 as a person would.
import { createBuilders } from '@quarterdeck/sdk/testing';
import { expect, it } from 'vitest';
import { running, toErrors } from './running.ts';

const build = createBuilders();

it('shows at least four lines of an error with the fields that differ, and all of them on Enter', async () => {
  await using on = await running();
  const { dashboard, server } = on;
  const newestS = Math.floor(Date.now() / 1000);
  server.lines = Array.from({ length: 40 }, (_, index) =>
    build.line({
      id: String(40 - index),
      time: newestS - index,
      level: 4,
      log: `connect() failed while connecting to upstream, client: 10.9.8.${index % 9}, upstream: "http://10.0.0.${index % 3}/"`,
      fields: { client: `10.9.8.${index % 9}`, server: 'shop', upstream: `http://10.0.0.${index % 3}/` },
      group: 200,
      host: 'web-1',
      source: 'web-1',
      service: 'nginx',
    }),
  );
  await toErrors(dashboard);
  dashboard.type('\r');
  await dashboard.waitForText(/Time +Host +client +upstream/);
  const rows = dashboard
    .text()
    .split('\n')
    .filter((row) => /^ +[\d:]+ +web-1 +10\.9\.8\.\d +http:/.test(row));
  expect(rows.length).toBeGreaterThanOrEqual(4);
  expect(dashboard.text()).not.toContain('shop');
  dashboard.type('\r');
  await dashboard.waitForText(/8 Lines.*group:200 +40 of 40/);
  dashboard.type('lllF');
  await dashboard.waitForText('client: 9 values in 40 lines');
  dashboard.type('\r');
  await dashboard.waitForText(/group:200 client:10\.9\.8\.\d/);
  dashboard.type('Q');
  expect(await dashboard.exit).toMatchObject({ exitCode: 0 });
});
