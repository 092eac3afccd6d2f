import type { ApiToken } from '@quarterdeck/sdk';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useSession } from '../../session/session.tsx';
import { tokensText } from '../../text/tokens.ts';

const words = tokensText;

/** Asks before a token is revoked, which cannot be undone. */
export function RevokeToken({ token, onClose }: { readonly token: ApiToken; readonly onClose: () => void }) {
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
