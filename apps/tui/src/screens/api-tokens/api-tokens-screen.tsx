// The API tokens: list, details, and the dialogs that issue, change and delete them.
import type { ApiToken } from '@quarterdeck/sdk';
import { type ReactElement, useMemo } from 'react';
import { ListScreen } from '../../components/list/list-screen.tsx';
import { QueryNotice } from '../../components/notice.tsx';
import { setTokenEnabled, useApiTokens } from '../../data/api-tokens.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { doEach } from '../../data/each.ts';
import { hasData } from '../../data/query.ts';
import { staleMessage } from '../../data/stale.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import {
  createDialog,
  editDialog,
  extendDialog,
  removeDialog,
  rotateDialog,
  type TokenActions,
} from './api-token-dialogs.ts';
import { apiTokenColumns, apiTokenLines, TOKEN_FACETS, tokenName, tokenState } from './api-tokens-view.ts';

const NONE: readonly ApiToken[] = [];

/** The screen; while it is not visible nothing is read, and what is known is kept. */
export function ApiTokensScreen({ visible }: { readonly visible: boolean }): ReactElement | null {
  const { client, me, profile, now, open } = useDashboard();
  const { query, refresh } = useApiTokens(visible);
  const deed = useAction(refresh);
  const { rows: tokens, total } = hasData(query) ? query.data : { rows: NONE, total: 0 };
  const nowMs = useNow(now, 30_000, visible);
  const columns = useMemo(() => apiTokenColumns(tokens, me, nowMs), [tokens, me, nowMs]);
  const facets = useMemo(() => TOKEN_FACETS(nowMs), [nowMs]);
  const deeds: TokenActions = { client, me, profile, now, refresh };

  const toggle = (chosen: readonly ApiToken[]): void => {
    // All the same way: what the first one is not yet.
    const enable = chosen[0] !== undefined && tokenState(chosen[0], nowMs) === 'disabled';
    deed(() =>
      doEach(chosen, ({ id }) => setTokenEnabled(client, id, enable), {
        done: enable ? 'Enabled' : 'Disabled',
        noun: 'token',
        name: tokenName,
      }),
    );
  };

  return (
    <ListScreen
      place="apiTokens"
      visible={visible}
      rows={tokens}
      columns={columns}
      facets={facets}
      detail={(token) => ({ title: tokenName(token), lines: (width) => apiTokenLines(token, me, nowMs, width) })}
      chips={total > tokens.length ? [{ text: `${total} in all`, tone: 'muted' }] : []}
      standing={staleMessage(query, nowMs)}
      extras={{ refresh }}
      commands={({ selected, chosen }) => ({
        create: () => open(createDialog(deeds)),
        ...(selected === undefined
          ? {}
          : {
              edit: () => open(editDialog(selected, deeds)),
              rotate: () => open(rotateDialog(selected, deeds)),
              extend: () => open(extendDialog(chosen, deeds)),
              toggle: () => toggle(chosen),
              remove: () => open(removeDialog(chosen, deeds)),
            }),
      })}
      empty={(width, height) => (
        <QueryNotice
          query={query}
          reading="Reading the API tokens…"
          empty="No API tokens yet."
          lines={['A token lets a program in without an account and a password. Press a to issue one.']}
          width={width}
          height={height}
        />
      )}
    />
  );
}
