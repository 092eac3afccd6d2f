// The dialogs that change one token.
import type { ApiToken } from '@quarterdeck/sdk';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { tokensText } from '../../text/tokens.ts';

const words = tokensText;

interface DialogProps {
  readonly token: ApiToken;
  readonly onClose: () => void;
}

/** Shows the permissions that a token does not use, and takes them away. */
export function NarrowToken({ token, onClose }: DialogProps) {
  const { client } = useSession();
  const { say } = useToasts();
  const { id } = token;
  const { data, failure } = useRead(
    ({ apiToken }, call) => apiToken.narrow({ params: { id }, body: { dry_run: true } }, call),
    [id],
  );
  const planned = data && words.narrowNote(data.scopes.join(' '), data.removed.join(' '));
  return (
    <FormDialog
      title={words.narrowTitle(token.name || `#${id}`)}
      fields={[]}
      submit={words.narrow}
      note={planned ?? failure?.message ?? text.fresh.loading(words.token)}
      run={async () => {
        await client.apiToken.narrow({ params: { id }, body: { dry_run: false } });
        say({ text: words.narrowed });
      }}
      onClose={onClose}
    />
  );
}

/** Asks before a token is revoked, which cannot be undone. */
export function RevokeToken({ token, onClose }: DialogProps) {
  const { client } = useSession();
  const { say } = useToasts();
  return (
    <FormDialog
      title={words.revokeTitle(token.name || `#${token.id}`)}
      fields={[]}
      submit={words.revoke}
      note={words.revokeNote}
      run={async () => {
        await client.apiToken.remove({ params: { id: token.id } });
        say({ text: words.revoked });
      }}
      onClose={onClose}
    />
  );
}
