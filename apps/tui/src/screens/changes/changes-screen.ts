// The screen of the changes from outside, with their effects.
import type { Change, ChangeEffect, ChangeEffects } from '@quarterdeck/core';
import { reportFailure } from '@quarterdeck/views/actions';
import { changeTitle } from '@quarterdeck/views/changes';
import type { Choice } from '@quarterdeck/views/questions';
import { useChangeEffects, useReportedChanges } from '@quarterdeck/views/react';
import { hasData, type Query } from '@quarterdeck/views/reads';
import { clean } from '@quarterdeck/views/text';
import { goToOne } from '../list/go-to-one.ts';
import { listScreen } from '../list/list-screen.tsx';
import { changeFacts, effectsLines } from '../shared/change-lines.ts';
import { CHANGE_FACETS, changeColumns, changeHosts } from './changes-view.ts';

const errorChoices = (effects: Query<ChangeEffects>): Choice[] =>
  hasData(effects)
    ? effects.data.errors.map(({ id, log, verdict, service }: ChangeEffect) => ({
        id: String(id),
        text: clean(log.slice(0, 400)),
        group: verdict,
        note: clean(service),
      }))
    : [];

const hostChoices = ({ hosts, unknown_hosts: unknown }: Pick<Change, 'hosts' | 'unknown_hosts'>): Choice[] =>
  hosts.filter((host) => !unknown.includes(host)).map((host) => ({ id: host, text: clean(host) }));

export const ChangesScreen = listScreen({
  place: 'changes',
  useSource: useReportedChanges,
  useRow: (change: Change | undefined, active) => useChangeEffects(change?.id, active),
  clockMs: 10_000,
  columns: changeColumns,
  facets: () => CHANGE_FACETS,
  detail: (change, { nowMs }, effects) => ({
    title: changeTitle(change),
    lines: (width) => [
      ...effectsLines(effects, nowMs, width),
      [],
      ...changeFacts(change, nowMs, width),
      ...changeHosts(change),
    ],
  }),
  commands({ selected, state }, { client, go, open, fail, say }, effects) {
    const showError = (id: string): void => {
      client.errlog
        .get({ params: { id: Number(id) } })
        .then(({ fingerprint = '' }) => go({ screen: 'errlog', args: { error: fingerprint } }))
        .catch(reportFailure({ say, fail }));
    };
    const errors = goToOne('Go to an error', errorChoices(effects), open, showError);
    return {
      errors,
      // Enter in the details goes to an error; `+` fills the screen with the details.
      ...(state.detail === 'closed' || errors === undefined ? {} : { effect: errors, enlarge: undefined }),
      agents:
        selected === undefined
          ? undefined
          : goToOne('Go to an agent', hostChoices(selected), open, (host) => go({ screen: 'agents', args: { host } })),
    };
  },
  empty: () => ({
    reading: 'Reading the changes…',
    title: 'No changes from outside.',
    lines: [
      'Deployments, flags and network changes appear here when a program reports them.',
      'See docs/how-to/report-changes.md.',
    ],
  }),
});
