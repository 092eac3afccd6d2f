// The story of a new error at channels, from the line to the end of its alert.
import { expect, it, onTestFinished } from 'vitest';
import { discordRules } from '../../../test/channel-services/discord.ts';
import { loopbackTransports } from '../../../test/channel-services/loopback.ts';
import { pagerdutyRules } from '../../../test/channel-services/pagerduty.ts';
import { pushoverRules } from '../../../test/channel-services/pushover.ts';
import { type Judge, startService } from '../../../test/channel-services/service.ts';
import { SETTINGS } from '../../../test/messages.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { word } from '../../../test/word.ts';

const PUBLIC_URL = 'https://qd.example.org';
const api = useSteadyApi({ PUBLIC_URL }, { transports: loopbackTransports() });

async function startChannel(kind: 'discord' | 'pagerduty' | 'pushover', rules: Judge) {
  const service = await startService(rules);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const body = { name: kind, kind, url: service.url, ...SETTINGS[kind] };
  return { service, id: (await api.admin.webhook.create({ body })).id };
}

async function round() {
  await api.server.jobs.runAlerts();
  await api.server.sender.settle();
}

it('is one message that is changed, one incident, or one notification', async () => {
  const { key = '' } = SETTINGS.pagerduty ?? {};
  const { token = '', user = '' } = SETTINGS.pushover ?? {};
  const discord = await startChannel('discord', discordRules('discord-secret-0123456789'));
  const pagerduty = await startChannel('pagerduty', pagerdutyRules(key));
  const pushover = await startChannel('pushover', pushoverRules(token, user));
  const channels = [discord.id, pagerduty.id, pushover.id];
  const log = word();
  const rule = await api.admin.alert.create({
    body: { name: 'new errors', when: { kind: 'errlog.new' }, filter: log, channels },
  });
  await api.admin.errlog.append({
    body: { level: 'error', log: `${log} cannot connect to 10.0.0.7`, service: 'shop' },
  });
  await round();
  const alert = (await api.admin.alert.instances({ query: { rule_id: rule.id } })).data[0];
  const params = { id: alert?.id ?? 0 };
  const textOf = () => discord.service.shown[0]?.text.replaceAll('\\', '') ?? '';
  expect(textOf()).toMatch(/FIRING: .*cannot connect/);
  expect(textOf()).toContain('Suspected change:** None.');
  expect(textOf()).toContain(`[Alert](${PUBLIC_URL}/a/${params.id})`);

  await api.admin.alert.acknowledge({ params, body: { note: 'on it' } });
  await round();
  expect(textOf()).toMatch(/ACKNOWLEDGED: .*by admin: on it.*cannot connect to 10\.0\.0\.7/s);
  expect(pagerduty.service.shown).toMatchObject([{ state: 'acknowledged' }]);

  api.advance(11 * 60_000);
  await round();
  api.advance(60_000);
  await round();
  expect((await api.admin.alert.instances({ query: { rule_id: rule.id } })).data[0]?.state).toBe('resolved');
  expect(textOf()).toMatch(/RESOLVED: .*Ended:.*by admin: on it/s);
  expect(textOf()).toContain('cannot connect to 10.0.0.7');
  expect(discord.service.shown).toHaveLength(1);
  expect(pagerduty.service.shown).toMatchObject([{ state: 'resolved' }]);
  // The end of a new error is no news on a phone.
  expect(pushover.service.shown.map(({ text }) => text.split(':', 1)[0])).toEqual(['FIRING']);
});
