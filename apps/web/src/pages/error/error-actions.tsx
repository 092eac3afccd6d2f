// Actions on an error: resolve or reopen it, mute it, write a note. Each with the way back.
import type { ErrlogEntry, ErrlogState } from '@quarterdeck/sdk';
import { useState } from 'react';
import { ActionBar } from '../../components/action-bar.tsx';
import { Button } from '../../components/button.tsx';
import { ChoiceDialog } from '../../components/choice-dialog.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { ShareButton } from '../../components/share-button.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import { errorText } from '../../text/error.ts';
import { setState } from '../../words/groups.ts';

const words = errorText.actions;
const NOTE_MAX = 2_000;
const UNTILS = [
  { id: '1h', text: words.hour },
  { id: '24h', text: words.day },
  { id: '100x', text: words.times },
  { id: 'forever', text: words.forever },
];

interface ErrorActionsProps {
  readonly entry: ErrlogEntry;
  readonly onDone: () => void;
}

/** The actions; none for a person who may not change errors. */
export function ErrorActions({ entry, onDone }: ErrorActionsProps) {
  const { client, can } = useSession();
  const { act, say } = useToasts();
  const [asked, setAsked] = useState<'mute' | 'note' | null>(null);
  if (!can(client.errlog.bulk.endpoint.access)) return null;

  const change = (state: ErrlogState, until?: string): void => {
    setAsked(null);
    void act(async () => {
      const { undo, ...done } = await setState(client, [entry], state, until);
      onDone();
      return { ...done, undo: () => (undo?.() ?? Promise.resolve()).finally(onDone) };
    });
  };
  const saveNote = async (note: string): Promise<void> => {
    await client.errlog.update({ params: { id: entry.id }, body: { note } });
    onDone();
  };
  const isClosed = entry.state === 'resolved' || entry.state === 'muted';
  return (
    <ActionBar>
      {entry.state !== 'resolved' && (
        <Button look="main" onClick={() => change('resolved')}>
          {words.resolve}
        </Button>
      )}
      {isClosed && <Button onClick={() => change('ongoing')}>{words.reopen}</Button>}
      {entry.state !== 'muted' && <Button onClick={() => setAsked('mute')}>{words.mute}</Button>}
      <Button onClick={() => setAsked('note')}>{words.note}</Button>
      {can(client.link.createForError.endpoint.access) && <ShareButton subject={{ kind: 'error', id: entry.id }} />}
      {asked === 'mute' && (
        <ChoiceDialog
          title={words.muteTitle}
          choices={UNTILS}
          onChoose={({ id }) => change('muted', id)}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'note' && (
        <FormDialog
          title={words.noteTitle}
          fields={[
            {
              name: 'note',
              label: words.note,
              type: 'area',
              hint: words.noteHint,
              isOptional: true,
              maxLength: NOTE_MAX,
              value: entry.note ?? '',
            },
          ]}
          submit={words.save}
          run={async ({ note = '' }) => {
            const before = entry.note ?? '';
            await saveNote(note.trim());
            say({ text: words.noteSaved, undo: () => saveNote(before) });
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </ActionBar>
  );
}
