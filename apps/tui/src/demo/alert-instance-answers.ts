// Demo: answers for alerts, which people acknowledge, assign and mute.
import { type Alert, parseMute } from '@quarterdeck/core';
import type { Fake } from '@quarterdeck/sdk/testing';
import { instanceOf } from './alert-evidence.ts';
import type { Fleet } from './fleet-state.ts';
import { byId, withRow } from './rows.ts';

const FOREVER_S = 100 * 366 * 86_400;

/** End of a mute: a time, or a duration such as `1h` from now; 0 for none that is known. */
function endOf(until: string | number, nowS: number): number {
  if (typeof until === 'number') return until;
  const mute = parseMute(until);
  if (mute?.kind === 'forever') return nowS + FOREVER_S;
  return mute?.kind === 'time' ? nowS + mute.seconds : 0;
}

/** Answers for alerts: their list, one of them, and what people do with them. */
export function answerAlertInstances({ on }: Fake, fleet: Fleet, now: () => number): void {
  const nowS = (): number => now() / 1000;
  const change = (call: { readonly params: { readonly id: number } }, fields: Partial<Alert>): Alert => {
    const alert = { ...byId(fleet.alerts, call), ...fields };
    fleet.alerts = withRow(fleet.alerts, alert);
    return alert;
  };
  on('alert.instances', ({ query: { state, rule_id, kind } }) =>
    fleet.alerts.filter(
      (alert) =>
        (state === undefined || alert.state === state) &&
        (rule_id === undefined || alert.rule_id === rule_id) &&
        (kind === undefined || alert.kind === kind),
    ),
  );
  on('alert.instance', (call) => instanceOf(fleet, byId(fleet.alerts, call), nowS()));
  on('alert.acknowledge', (call) => {
    const { note } = call.body;
    const before = byId(fleet.alerts, call);
    if (before.acknowledged !== null && note === '') return before;
    return change(call, { acknowledged: { time: nowS(), by: 'admin', note } });
  });
  on('alert.assign', (call) => {
    const user = fleet.users.find(({ id }) => id === call.body.user);
    const name = user?.username ?? 'admin';
    return change(call, { assigned: call.body.user === null ? null : { id: call.body.user, username: name } });
  });
  on('alert.mute', (call) => {
    const until = endOf(call.body.until, nowS());
    const { groups } = byId(fleet.alerts, call);
    const state = call.body.until === 0 ? 'ongoing' : 'muted';
    fleet.errlog = fleet.errlog.map((entry) => (groups.includes(entry.id) ? { ...entry, state } : entry));
    return change(call, { muted_until: until > nowS() ? until : null });
  });
}
