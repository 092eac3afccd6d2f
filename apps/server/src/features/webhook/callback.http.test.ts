// Acknowledgements that PagerDuty sends back, through a real channel and a real alert.
import { createHmac } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loopbackTransports } from '../../../test/channel-services/loopback.ts';
import { pagerdutyRules } from '../../../test/channel-services/pagerduty.ts';
import { startService } from '../../../test/channel-services/service.ts';
import { SETTINGS } from '../../../test/messages.ts';
import type { Answer } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const api = useSteadyApi({}, { transports: loopbackTransports() });

const { key = '', callback_secret: SECRET = '' } = SETTINGS.pagerduty ?? {};

/** Fires an alert that PagerDuty has an incident of. */
async function startIncident() {
  const service = await startService(pagerdutyRules(key));
  onTestFinished(() => service[Symbol.asyncDispose]());
  const { id } = await api.admin.webhook.create({
    body: { name: word(), kind: 'pagerduty', url: service.url, ...SETTINGS.pagerduty },
  });
  const when = { kind: 'errlog.new' as const };
  const log = word();
  const rule = await api.admin.alert.create({ body: { name: word(), when, filter: log, channels: [id] } });
  await api.admin.errlog.append({ body: { level: 'error', log } });
  await api.server.jobs.runAlerts();
  await api.server.sender.settle();
  const [incident] = service.shown;
  expect(incident).toMatchObject({ state: 'triggered' });
  const alerts = () => api.admin.alert.instances({ query: { rule_id: rule.id } });
  const alert = async () => (await alerts()).data[0];
  return { id, service, incident: incident?.id ?? '', alert };
}

/** An event as PagerDuty sends it. */
const eventOf = (incident: string, fields: object = {}) => ({
  event: {
    id: '01CH754SM17TWPE2V2H4VPBRO7',
    event_type: 'incident.acknowledged',
    resource_type: 'incident',
    occurred_at: new Date(api.now()).toISOString(),
    agent: { id: 'PLH1HKV', type: 'user_reference', summary: 'Ada\u001b[31m\r\nLovelace' },
    client: null,
    data: { id: 'PGR0VU2', type: 'incident', incident_key: incident, status: 'acknowledged' },
    ...fields,
  },
});

const sign = (body: string, secret = SECRET) => `v1=${createHmac('sha256', secret).update(body).digest('hex')}`;

async function call(
  id: number,
  event: unknown,
  signature?: (body: string) => string,
): Promise<{ status: number; body: Answer }> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const response = await fetch(`${api.url}/admin-api/webhook/${id}/callback`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-pagerduty-signature': (signature ?? sign)(body) },
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

describe('an acknowledgement at PagerDuty', () => {
  it('acknowledges the alert, in the name of the person there, once', async () => {
    const { id, service, incident, alert } = await startIncident();
    expect((await alert())?.acknowledged).toBeNull();
    // While a secret is replaced, a request has the signatures of both.
    const both = (body: string) => `${sign(body, 'the secret before')},${sign(body)}`;
    expect(await call(id, eventOf(incident), both)).toEqual({ status: 204, body: undefined });
    const first = (await alert())?.acknowledged;
    expect(first).toEqual({ time: api.now() / 1000, by: 'Ada Lovelace (PagerDuty)', note: '' });
    const { data } = await api.admin.audit.list({ query: { action: 'alert.acknowledge', page_size: 1 } });
    expect(data).toMatchObject([{ actor: { kind: 'system' }, target: { kind: 'alert', id: (await alert())?.id } }]);
    // A request that is sent again changes nothing.
    api.advance(60_000);
    expect(await call(id, eventOf(incident, { agent: { summary: 'Bob' } }))).toMatchObject({ status: 204 });
    expect((await alert())?.acknowledged).toEqual(first);
    // Its incident is acknowledged already, which PagerDuty does not report again.
    await api.server.sender.settle();
    expect(service.shown).toMatchObject([{ state: 'acknowledged' }]);
  });

  it.each([
    ['with another secret', (body: string) => sign(body, 'another secret of 16')],
    ['of another body', (body: string) => sign(`${body} `)],
    ['in another form', (body: string) => sign(body).replace('v1=', 'v0=')],
    ['that is cut', (body: string) => sign(body).slice(0, -2)],
    ['that is empty', () => ''],
  ])('is refused with a signature %s', async (_, signature) => {
    const { id, incident, alert } = await startIncident();
    const refusal = await call(id, eventOf(incident), signature);
    expect(refusal).toMatchObject({ status: 404, body: { err: { code: 'not_found' } } });
    expect((await alert())?.acknowledged).toBeNull();
    // A channel that does not exist, or gets no callbacks, has the same answer.
    const other = await api.admin.webhook.create({ body: { name: word(), url: 'https://example.com/hook' } });
    for (const unknown of [other.id, 999_999, 2_000_000_000]) {
      const { status, body } = await call(unknown, eventOf(incident));
      expect([status, body.err.code]).toEqual([404, 'not_found']);
    }
  });

  it('changes nothing where it is old, of another alert, of another type, or no event at all', async () => {
    const { id, incident, alert } = await startIncident();
    const other = await startIncident();
    const old = new Date(api.now() - 25 * 3_600_000).toISOString();
    for (const event of [
      eventOf(incident, { occurred_at: old }),
      eventOf(incident, { event_type: 'incident.resolved' }),
      eventOf(incident, { data: null }),
      // The other channel has sent it.
      eventOf(other.incident),
      eventOf('quarterdeck-1-1'),
      eventOf('another key'),
      { event: { event_type: 'pagey.ping', occurred_at: new Date(api.now()).toISOString() } },
      { event: 7 },
      'no JSON',
      '',
    ]) {
      expect(await call(id, event)).toEqual({ status: 204, body: undefined });
    }
    expect((await alert())?.acknowledged).toBeNull();
    expect((await other.alert())?.acknowledged).toBeNull();
  });

  it('is bounded', async () => {
    const { id, incident } = await startIncident();
    const large = eventOf(incident, { client: 'x'.repeat(70_000) });
    expect(await call(id, large)).toMatchObject({ status: 413, body: { err: { code: 'too_large' } } });
  });
});
