import { expect, it } from 'vitest';
import { findProgram } from '../../../../../../test/programs.ts';
import { startAlertmanager } from '../../../../test/alertmanager-process.ts';
import { alert, channelOf, HOSTILE_TEXT, messageOf } from '../../../../test/messages.ts';
import { createTransports } from './transports.ts';

const program = findProgram('prometheus-alertmanager');

it.skipIf(program === undefined)('fires in a real Alertmanager until it is resolved', async () => {
  await using peer = await startAlertmanager(program ?? '');
  const config = {
    webhookAllow: '127.0.0.1',
    smtpHost: undefined,
    smtpPort: 587,
    smtpUser: undefined,
    smtpPassword: undefined,
    smtpFrom: undefined,
  };
  const transports = createTransports({ config, now: Date.now });
  const send = (type: string, fields: object) =>
    transports.send(
      channelOf('alertmanager', { url: peer.url }),
      messageOf(type, { ...alert, ...fields }),
      new AbortController().signal,
    );
  const since = Date.now() / 1000 - 60;
  const other = { key: 'service:mail', title: HOSTILE_TEXT, detail: { examples: [HOSTILE_TEXT] } };

  expect(await send('alert.firing', { since })).toEqual({ ok: true, status: 200 });
  expect(await send('alert.firing', { since, ...other })).toEqual({ ok: true, status: 200 });
  // A repeated message changes nothing.
  await send('alert.firing', { since });
  const alerts = await peer.alerts();
  expect(alerts.map(({ labels }) => labels['cause']).sort()).toEqual(['service:mail', 'service:shop']);
  expect(alerts.find(({ labels }) => labels['cause'] === 'service:shop')).toMatchObject({
    labels: { alertname: 'QuarterdeckErrlogCount', kind: 'errlog.count', severity: 'warning', rule: '3' },
    annotations: { summary: alert.title, examples: 'disk is full\ntimed out' },
    startsAt: new Date(since * 1000).toISOString(),
    generatorURL: alert.links.alert,
  });

  expect(await send('alert.resolved', { since, resolved: Date.now() / 1000 })).toEqual({ ok: true, status: 200 });
  expect((await peer.alerts()).map(({ labels }) => labels['cause'])).toEqual(['service:mail']);
  // The same cause again is an alert again.
  await send('alert.firing', { since: Date.now() / 1000 });
  expect(await peer.alerts()).toHaveLength(2);
});
