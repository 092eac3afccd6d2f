// Actions on an alert. Those that this person may not do are not offered. Each says what it did, with
// the way back where the server has one.
import { type AlertInstance, type Client, isApiError } from '@quarterdeck/sdk';
import { lazy, Suspense, useState } from 'react';
import { ActionBar } from '../../components/action-bar.tsx';
import { Button } from '../../components/button.tsx';
import type { Choice } from '../../components/choice-dialog.tsx';
import { ShareButton } from '../../components/share-button.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { alertText } from '../../text/alert.ts';
import type { Done } from '../../words/done.ts';

const words = alertText.actions;
/** Dialogs, and changes of groups, are loaded when they are asked for. */
const ChoiceDialog = lazy(async () => ({ default: (await import('../../components/choice-dialog.tsx')).ChoiceDialog }));
/** Users to choose from. */
const USERS_MAX = 500;

interface AlertActionsProps {
  readonly alert: AlertInstance;
  readonly onDone: () => void;
}

/** The actions. On a phone they are below the text, where the thumb is. */
export function AlertActions({ alert, onDone }: AlertActionsProps) {
  const { client, can } = useSession();
  const { act } = useToasts();
  const me = useMe();
  const [asked, setAsked] = useState<'mute' | 'assign' | null>(null);
  const [people, setPeople] = useState<readonly Choice[]>([]);
  const canChange = can(client.alert.mute.endpoint.access);
  const canResolve = can(client.errlog.bulk.endpoint.access) && alert.groups.length > 0;
  if (!canChange && !canResolve) return null;
  const params = { id: alert.id };

  const run = (change: () => Promise<Done>): void => {
    setAsked(null);
    void act(async () => {
      const done = await change();
      onDone();
      const { undo } = done;
      return undo === undefined ? done : { ...done, undo: () => undo().finally(onDone) };
    });
  };
  const acknowledge = async (): Promise<Done> => {
    await client.alert.acknowledge({ params, body: { note: '' } });
    return { text: words.acknowledged };
  };
  const assign = async (user: number | null, name: string): Promise<Done> => {
    const before = alert.assigned?.id ?? null;
    await client.alert.assign({ params, body: { user } });
    return {
      text: user === null ? words.unassigned : words.assigned(name),
      undo: () => client.alert.assign({ params, body: { user: before } }),
    };
  };
  const mute = async (until: string | number, label: string): Promise<Done> => {
    const before = alert.muted_until;
    await client.alert.mute({ params, body: { until } });
    return {
      text: until === 0 ? words.unmuted : words.muted(label),
      undo: () => client.alert.mute({ params, body: { until: before === null ? 0 : Math.ceil(before) } }),
    };
  };
  const resolve = async (): Promise<Done> =>
    (await import('../../words/groups.ts')).resolveGroups(client, alert.groups);
  const askWho = (): void => {
    setAsked('assign');
    void readPeople(client, me?.id).then(setPeople);
  };
  const untils: readonly Choice[] = [
    ...(alert.muted_until === null ? [] : [{ id: '0', text: words.unmute }]),
    { id: '1h', text: words.hour },
    { id: '24h', text: words.day },
    // An alert without errors has nothing to count.
    ...(alert.groups.length === 0 ? [] : [{ id: '100x', text: words.times }]),
  ];
  return (
    <ActionBar>
      {canChange && alert.acknowledged === null && (
        <Button look="main" onClick={() => run(acknowledge)}>
          {words.acknowledge}
        </Button>
      )}
      {canChange && <Button onClick={() => setAsked('mute')}>{words.mute}</Button>}
      {canChange && <Button onClick={askWho}>{words.assign}</Button>}
      {canResolve && <Button onClick={() => run(resolve)}>{words.resolve}</Button>}
      {canChange && <ShareButton subject={{ kind: 'alert', id: alert.id }} />}
      <Suspense>
        {asked === 'mute' && (
          <ChoiceDialog
            title={words.muteTitle}
            choices={untils}
            onChoose={({ id, text: label }) => run(() => mute(id === '0' ? 0 : id, label))}
            onClose={() => setAsked(null)}
          />
        )}
        {asked === 'assign' && (
          <ChoiceDialog
            title={words.assignTitle}
            choices={[
              ...(me === null ? [] : [{ id: String(me.id), text: words.me(me.username) }]),
              ...people,
              ...(alert.assigned === null ? [] : [{ id: '', text: words.nobody }]),
            ]}
            onChoose={({ id, text: name }) => run(() => assign(id === '' ? null : Number(id), name))}
            onClose={() => setAsked(null)}
          />
        )}
      </Suspense>
    </ActionBar>
  );
}

/** Other users, for those who may read them. */
async function readPeople(client: Client, own: number | undefined): Promise<Choice[]> {
  try {
    const { data } = await client.user.list({ query: { start: 0, end: USERS_MAX } });
    return data
      .filter(({ id, disabled }) => id !== own && disabled !== true)
      .map(({ id, username, role }) => ({ id: String(id), text: username, note: role }));
  } catch (error) {
    if (isApiError(error) && error.status === 403) return [];
    throw error;
  }
}
