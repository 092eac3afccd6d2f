import type { ApiToken } from '@quarterdeck/sdk';
import { useCallback } from 'react';
import { type ReadRange, readTokens } from '../reads/lists.ts';
import type { Rows } from '../reads/window.ts';
import { useRows } from './use-rows.ts';
import { useViews } from './views-context.ts';

/** Reads the tokens while `active`. */
export function useApiTokens(active: boolean): Rows<ApiToken> {
  const { ahead } = useViews();
  const list = useCallback<ReadRange<ApiToken>>(
    (client, range, signal) => ahead.take('tokens') ?? readTokens(client, range, signal),
    [ahead],
  );
  return useRows(list, active);
}
