import type { ApiToken } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useToasts } from '../../components/toasts.tsx';
import { useRead } from '../../data/use-read.ts';
import { useSession } from '../../session/session.tsx';
import { text } from '../../text/common.ts';
import { tokensText } from '../../text/tokens.ts';

const words = tokensText;

/** Shows the permissions that a token does not use, and takes them away. */
export function NarrowToken({ token, onClose }: { readonly token: ApiToken; readonly onClose: () => void }) {
  const { client } = useSession();
  const { say } = useToasts();
  const { id } = token;
  const { data, failure } = useRead(
    useCallback(
      (signal) => client.apiToken.narrow({ params: { id }, body: { dry_run: true } }, { signal }),
      [client, id],
    ),
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
