// The screen of the API tokens.

import type { ApiToken } from '@quarterdeck/sdk';
import { reportFailure } from '@quarterdeck/views/actions';
import { useApiTokens, useTokenUse } from '@quarterdeck/views/react';
import {
  createDialog,
  editDialog,
  extendDialog,
  narrowDialog,
  removeDialog,
  rotateDialog,
  toggleDialog,
  tokenName,
  tokenState,
} from '@quarterdeck/views/tokens';
import { factDetail } from '../../components/list/detail-lines.ts';
import { pressTo } from '../../keys/key-hints.ts';
import { listScreen } from '../list/list-screen.tsx';
import { apiTokenColumns, apiTokenFacts, TOKEN_FACETS, tokenUseLines } from './api-tokens-view.ts';

export const ApiTokensScreen = listScreen({
  place: 'apiTokens',
  useSource: useApiTokens,
  useRow: (token: ApiToken | undefined, active) => useTokenUse(token?.id, active),
  clockMs: 30_000,
  columns: apiTokenColumns,
  facets: TOKEN_FACETS,
  detail: (token, { me, nowMs }, use) =>
    factDetail(tokenName(token), apiTokenFacts(token, me, nowMs), (width) => [[], ...tokenUseLines(use, nowMs, width)]),
  commands({ selected, chosen }, context) {
    const { nowMs, open } = context;
    const create = () => open(createDialog(context));
    if (selected === undefined) return { create };
    return {
      create,
      edit: () => open(editDialog(selected, context)),
      rotate: () => open(rotateDialog(selected, context)),
      extend: () => open(extendDialog(chosen, context)),
      narrow: () => void narrowDialog(selected, context).then(open, reportFailure(context)),
      toggle() {
        // The state of the first one decides for all of them.
        const enable = chosen[0] !== undefined && tokenState(chosen[0], nowMs) === 'disabled';
        open(toggleDialog(chosen, enable, context));
      },
      remove: () => open(removeDialog(chosen, context)),
    };
  },
  empty: ({ keyOf }) => ({
    reading: 'Reading the API tokens…',
    title: 'No API tokens yet.',
    lines: [
      'A token gives a program access without an account and a password.',
      ...pressTo(keyOf('apiTokens.create'), 'create one'),
    ],
  }),
});
