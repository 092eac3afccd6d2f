// Rules about certificates: agents report them, and a rule notifies of each once with its hosts and its renewal.
import { afterEach, describe, expect, it } from 'vitest';
import { agentCalls } from '../../../../test/agent-calls.ts';
import { alertCalls } from '../../../../test/alert-kind-calls.ts';
import { removeFleet, useSteadyApi } from '../../../../test/steady-api.ts';

const DAY_S = 86_400;

const api = useSteadyApi();
const calls = alertCalls(api);
const { beat } = agentCalls(api);
afterEach(() => removeFleet(api));

let made = 0;
/** A certificate that expires in some days. Each has a fingerprint of its own. */
function certificate(place: string, days: number, over: object = {}) {
  made += 1;
  return {
    place,
    subject: 'CN=shop.example',
    issuer: 'CN=authority',
    fingerprint: made.toString(16).padStart(16, '0'),
    expire: Math.floor(api.now() / 1000) + days * DAY_S,
    ...over,
  };
}

type Agent = Awaited<ReturnType<typeof api.agent>>;
const report = (agent: Agent, ...certificates: object[]) => beat(agent, { certificates });
const hostOf = ({ nodeId }: Agent) => `host-${nodeId}`;
const rule = { when: { kind: 'certificate.expiring' } } as const;

describe('a rule certificate.expiring', () => {
  it('notifies of a certificate once, although many hosts have it, and names the hosts', async () => {
    const [a, b] = [await api.agent(), await api.agent()];
    const shop = certificate('/etc/ssl/shop.pem', 5);
    await report(a, shop, certificate('/etc/ssl/late.pem', 15));
    await report(b, { ...shop, place: 'shop.example:443' });
    const id = await calls.watch(rule);
    await calls.round();
    expect(await calls.alertsOf(id)).toMatchObject([
      {
        key: `certificate:${shop.fingerprint}`,
        state: 'firing',
        messages: 1,
        title: expect.stringMatching(
          `^Certificate CN=shop.example expires in .*: /etc/ssl/shop.pem on ${hostOf(a)}, shop.example:443 on ${hostOf(b)}$`,
        ),
        detail: {
          subject: 'CN=shop.example',
          days: 4,
          hosts: 2,
          sample: [
            { agent_id: a.id, hostname: hostOf(a), place: '/etc/ssl/shop.pem' },
            { agent_id: b.id, hostname: hostOf(b), place: 'shop.example:443' },
          ],
        },
      },
    ]);
  });

  it('ends when all hosts have another one, and says which, where, until when and after which change', async () => {
    const [a, b] = [await api.agent(), await api.agent()];
    const old = certificate('/etc/ssl/shop.pem', 5);
    await report(a, old);
    await report(b, old);
    const id = await calls.watch(rule);
    const change = await api.admin.change.create({
      body: { name: 'certbot renew', kind: 'deploy', hosts: [hostOf(a)] },
    });
    const renewed = certificate('/etc/ssl/shop.pem', 90);
    const { agent: _, ...entry } = { agent: a, seq: 1, ago: 0, kind: 'certificate', field: '/etc/ssl/shop.pem' };
    await beat(a, { certificates: [renewed], changes: [{ ...entry, from: 'old', to: 'new' }] });
    await calls.round();
    expect(await calls.alertsOf(id)).toMatchObject([{ state: 'firing' }]);
    await report(b, renewed);
    await calls.round();
    const [alert] = await calls.alertsOf(id);
    expect(alert).toMatchObject({
      state: 'resolved',
      title: expect.stringMatching(
        /^Certificate CN=shop\.example was renewed until .* after the change "certbot renew": /,
      ),
      detail: {
        former: old.fingerprint,
        fingerprint: renewed.fingerprint,
        expire: renewed.expire,
        places: 2,
        entry: { agent_id: a.id },
        change: { id: change.id, name: 'certbot renew' },
      },
    });
    expect(alert?.title).toContain(`/etc/ssl/shop.pem on ${hostOf(a)}, /etc/ssl/shop.pem on ${hostOf(b)}`);
  });

  it('goes on after the certificate has expired, and ends when its file has gone', async () => {
    const agent = await api.agent();
    await report(agent, certificate('/etc/ssl/shop.pem', -2));
    const id = await calls.watch(rule);
    await calls.round();
    expect(await calls.alertsOf(id)).toMatchObject([
      { state: 'firing', title: expect.stringContaining('CN=shop.example expired 2 d ago') },
    ]);
    await report(agent);
    await calls.round();
    expect(await calls.alertsOf(id)).toMatchObject([{ state: 'resolved', messages: 1 }]);
  });

  it('is quiet about hosts that do not match, are in maintenance or were deleted, and about long expired ones', async () => {
    const [other, resting, deleted, old] = [await api.agent(), await api.agent(), await api.agent(), await api.agent()];
    for (const agent of [resting, deleted, old]) {
      await api.admin.agent.update({ params: { id: agent.id }, body: { labels: { site: 'north' } } });
    }
    await report(other, certificate('/a', 3));
    await report(resting, certificate('/b', 3));
    await report(deleted, certificate('/c', 3));
    await report(old, certificate('/d', -31));
    await api.admin.agent.update({ params: { id: resting.id }, body: { maintenance: true } });
    await api.admin.agent.remove({ params: { id: deleted.id } });
    const id = await calls.watch({ ...rule, filter: 'label.site:north' });
    await calls.round();
    expect(await calls.alertsOf(id)).toMatchObject([{ messages: 0, title: expect.stringContaining('/b on') }]);
  });

  it('is previewed with the certificates that came near their end, and those that were renewed in time', async () => {
    const agent = await api.agent();
    const [near, kept] = [certificate('/near', 14.5), certificate('/kept', 30)];
    await report(agent, near, kept);
    api.advance(DAY_S * 1000);
    await report(agent, certificate('/near', 90), kept);
    const preview = await calls.preview(rule);
    expect(preview).toMatchObject({ fired: 1, causes: 1, complete: false });
    expect(preview.examples[0]).toMatchObject({ key: `certificate:${near.fingerprint}` });
  });
});

it('certificates of an agent are replaced by each report, and removed with it', async () => {
  const agent = await api.agent();
  const rows = () =>
    api.server.deps.db.read.prisma.agentCertificate.findMany({
      where: { agentId: agent.id },
      orderBy: { place: 'asc' },
      select: { place: true, fingerprint: true, formerFingerprint: true },
    });
  const [a, b] = [certificate('/a', 20), certificate('/b', 20)];
  await report(agent, a, b, { ...b, subject: 'CN=twice' });
  expect(await rows()).toMatchObject([{ place: '/a' }, { place: '/b' }]);
  const next = certificate('/a', 90);
  await report(agent, next);
  await report(agent, next);
  expect(await rows()).toEqual([{ place: '/a', fingerprint: next.fingerprint, formerFingerprint: a.fingerprint }]);
  await beat(agent, {});
  expect(await rows()).toHaveLength(1);
  await removeFleet(api);
  expect(await rows()).toEqual([]);
});
