import type { ApiToken, TokenUse } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { type ReadRange, readTokens } from '../reads/lists.ts';
import type { Query } from '../reads/query.ts';
import type { Rows } from '../reads/window.ts';
import { useRowQuery } from './use-row-query.ts';
import { useRows } from './use-rows.ts';
import { useViews } from './views-context.ts';

/** Reads the use of the selected token. */
export function useTokenUse(id: number | undefined, active: boolean): Query<TokenUse> {
  const { client } = useViews();
  const read = useCallback(
    (signal: AbortSignal) => client.apiToken.use({ params: { id: id ?? 0 } }, { signal }),
    [client, id],
  );
  return useRowQuery(id, read, { active });
}

/** Reads the tokens while `active`. */
export function useApiTokens(active: boolean): Rows<ApiToken> {
  const { ahead } = useViews();
  const list = useCallback<ReadRange<ApiToken>>(
    (client, range, signal) => ahead.take('tokens') ?? readTokens(client, range, signal),
    [ahead],
  );
  return useRows(list, active);
}
