// The own API tokens: issue one, whose secret is shown once, narrow to what it uses, and revoke.
import './tokens.css';
import type { ApiToken } from '@quarterdeck/sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ReadState } from '../../components/read-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { tokensText } from '../../text/tokens.ts';
import type { Tone } from '../../words/tone.ts';
import { NewToken } from './new-token.tsx';
import { NarrowToken, RevokeToken } from './token-dialogs.tsx';

const words = tokensText;
const TOKENS_MAX = 500;

const TONES: Readonly<Record<NonNullable<ApiToken['state']>, Tone>> = {
  active: 'good',
  expiring: 'warning',
  expired: 'calm',
  disabled: 'calm',
};

/** The open dialog. */
type Asked = { readonly for: 'new' } | { readonly for: 'narrow' | 'revoke'; readonly token: ApiToken };

export function Page() {
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked | null>(null);
  const read = useRead(
    ({ apiToken }, call) => apiToken.list({ query: { start: 0, end: TOKENS_MAX, detail: 1 } }, call),
    [],
  );
  const close = (): void => {
    setAsked(null);
    read.refresh();
  };
  const mayWrite = can('api_token:write');
  return (
    <>
      <PageHeader title={text.nav.tokens}>
        {mayWrite && (
          <Button look="main" onClick={() => setAsked({ for: 'new' })}>
            {words.create}
          </Button>
        )}
      </PageHeader>
      <ReadState read={read} noun={words.noun}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{words.none}</p>
          ) : (
            <ul className="rows tokens">
              {data.map((token) => (
                <Row
                  key={token.id}
                  token={token}
                  mayWrite={mayWrite}
                  onNarrow={() => setAsked({ for: 'narrow', token })}
                  onRevoke={() => setAsked({ for: 'revoke', token })}
                  onChanged={read.refresh}
                />
              ))}
            </ul>
          )
        }
      </ReadState>
      {asked?.for === 'new' && <NewToken onClose={close} />}
      {asked?.for === 'narrow' && <NarrowToken token={asked.token} onClose={close} />}
      {asked?.for === 'revoke' && <RevokeToken token={asked.token} onClose={close} />}
    </>
  );
}

interface RowProps {
  readonly token: ApiToken;
  readonly mayWrite: boolean;
  readonly onNarrow: () => void;
  readonly onRevoke: () => void;
  readonly onChanged: () => void;
}

function Row({ token, mayWrite, onNarrow, onRevoke, onChanged }: RowProps) {
  const { client } = useSession();
  const { act } = useToasts();
  const {
    id,
    name,
    state = 'active',
    expire,
    last_used: used,
    username,
    scopes,
    token_tail: tail,
    unused = [],
  } = token;
  const params = { id };
  const isDisabled = state === 'disabled';
  const toggle = (): void => {
    void act(async () => {
      const change = isDisabled ? client.apiToken.enable : client.apiToken.disable;
      const back = isDisabled ? client.apiToken.disable : client.apiToken.enable;
      await change({ params });
      onChanged();
      const undo = async (): Promise<void> => {
        await back({ params });
        onChanged();
      };
      return { text: isDisabled ? words.enabled : words.disabled, undo };
    });
  };
  return (
    <li className="row">
      <p className="row-title">
        {name || `#${id}`} {tail !== undefined && <span className="mono muted">…{tail}</span>}
      </p>
      <p className="row-facts">
        <span className={`badge badge-${TONES[state]}`}>{words.states[state]}</span>
        {username !== undefined && <span>{username}</span>}
        {used == null ? (
          <span>{words.never}</span>
        ) : (
          <span>
            {words.used} <RelativeTime ms={used * 1000} />
          </span>
        )}
        {expire === 0 ? (
          <span>{words.endless}</span>
        ) : (
          <span>
            {words.ends} <RelativeTime ms={expire} />
          </span>
        )}
        <span>{scopes == null ? words.allScopes : scopes.join(' ')}</span>
        {unused.length > 0 && <span className="badge badge-warning">{words.unused(unused.join(' '))}</span>}
      </p>
      {mayWrite && (
        <div className="buttons">
          {state !== 'expired' && <Button onClick={toggle}>{isDisabled ? words.enable : words.disable}</Button>}
          {unused.length > 0 && <Button onClick={onNarrow}>{words.narrow}</Button>}
          <Button look="bad" onClick={onRevoke}>
            {words.revoke}
          </Button>
        </div>
      )}
    </li>
  );
}
