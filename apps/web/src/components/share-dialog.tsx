// Read-only links to one alert or error: a new one, and those in use, which can be revoked.
import './share-dialog.css';
import type { SharedLink } from '@quarterdeck/sdk';
import { useState } from 'react';
import { SERVER_URL } from '../api/base.ts';
import { useRead } from '../data/use-read.ts';
import { useSession } from '../session/session.tsx';
import { text } from '../text/common.ts';
import { shareText } from '../text/share.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { ReadState } from './read-state.tsx';
import { RelativeTime } from './relative-time.tsx';
import { useToasts } from './toasts.tsx';

/** Page that a link shows. */
export interface LinkSubject {
  readonly kind: 'alert' | 'error';
  readonly id: number;
}

const LINKS_MAX = 100;

export interface ShareDialogProps {
  readonly subject: LinkSubject;
  readonly onClose: () => void;
}

export function ShareDialog({ subject: { kind, id }, onClose }: ShareDialogProps) {
  const { client } = useSession();
  const { act } = useToasts();
  const [url, setUrl] = useState<string | null>(null);
  const { link } = client;
  const isAlert = kind === 'alert';
  const read = useRead(
    (_, call) => (isAlert ? link.ofAlert : link.ofError)({ params: { id }, query: { start: 0, end: LINKS_MAX } }, call),
    [link, isAlert, id],
  );
  const make = (): void => {
    void act(async () => {
      const made = await (isAlert ? link.createForAlert : link.createForError)({ params: { id }, body: {} });
      // A server that does not know its own address answers with the path.
      setUrl(made.url.startsWith('/') ? `${SERVER_URL}${made.url}` : made.url);
      read.refresh();
      return undefined;
    });
  };
  const revoke = (one: SharedLink): void => {
    void act(async () => {
      await (isAlert ? link.removeOfAlert : link.removeOfError)({ params: { id, link: one.id } });
      read.refresh();
      return shareText.revoked;
    });
  };
  return (
    <Dialog title={shareText.title} onClose={onClose}>
      <p>{shareText.note}</p>
      {url === null ? (
        <Button look="main" onClick={make}>
          {shareText.make}
        </Button>
      ) : (
        <>
          <p>{shareText.made}</p>
          <code className="link-address">{url}</code>
          <CopyButton value={url} label={shareText.copy} />
        </>
      )}
      <ReadState read={read} noun={shareText.noun}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{shareText.none}</p>
          ) : (
            <ul className="rows">
              {data.map((one) => (
                <li key={one.id} className="row shared-link">
                  <p className="row-facts">
                    <span>{shareText.by(one.created_by)}</span>
                    <span>
                      {one.last_used === null ? (
                        shareText.never
                      ) : (
                        <>
                          {shareText.used} <RelativeTime ms={one.last_used * 1000} />
                        </>
                      )}
                    </span>
                    <span>
                      {shareText.ends} <RelativeTime ms={one.expire} />
                    </span>
                  </p>
                  <Button onClick={() => revoke(one)}>{shareText.revoke}</Button>
                </li>
              ))}
            </ul>
          )
        }
      </ReadState>
      <form method="dialog">
        <Button type="submit">{text.actions.close}</Button>
      </form>
    </Dialog>
  );
}
