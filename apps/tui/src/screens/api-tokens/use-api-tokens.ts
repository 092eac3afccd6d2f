// The API tokens and what can be done with them. The secret of a new one is held here until it is closed.
import type { ApiToken, NewApiToken } from '@quarterdeck/sdk';
import { useCallback, useState } from 'react';
import { useDashboard } from '../../data/dashboard.ts';
import { hasData, type Query } from '../../data/query.ts';
import { type Mutation, useMutation } from '../../data/use-mutation.ts';
import { useQuery } from '../../data/use-query.ts';
import type { TokenInput } from './api-token-form.tsx';
import { tokenName } from './api-tokens-view.ts';

/** Tokens read at once. */
const TOKENS_MAX = 1_000;

interface Tokens {
  readonly rows: readonly ApiToken[];
  readonly total: number;
}

/** What the screen works with. */
export interface ApiTokensModel {
  readonly query: Query<Tokens>;
  readonly tokens: readonly ApiToken[];
  readonly total: number;
  readonly refresh: () => void;
  readonly create: Mutation<TokenInput>;
  readonly update: Mutation<TokenInput & { readonly id: number }>;
  readonly remove: Mutation<ApiToken>;
  /** The token that was just made, with its secret; null once it is closed. */
  readonly made: NewApiToken | null;
  readonly forget: () => void;
}

const NONE: readonly ApiToken[] = [];

/** Reads the tokens while the screen is visible. */
export function useApiTokens(visible: boolean): ApiTokensModel {
  const { client, online, open, close, say } = useDashboard();
  const [made, setMade] = useState<NewApiToken | null>(null);
  const read = useCallback(
    async (signal: AbortSignal): Promise<Tokens> => {
      const { data, meta } = await client.apiToken.list({ query: { page_size: TOKENS_MAX, detail: 1 } }, { signal });
      return { rows: data, total: meta.count };
    },
    [client],
  );
  const { query, refresh } = useQuery(read, { enabled: online && visible });

  const create = useMutation(
    ({ name, expire }: TokenInput) => client.apiToken.create({ body: { name, expire: expire ?? 0 } }),
    (token) => {
      setMade(token);
      open({ kind: 'apiTokenSecret' });
      refresh();
    },
  );
  const update = useMutation(
    ({ id, name, expire }: TokenInput & { id: number }) =>
      client.apiToken.update({ params: { id }, body: { name, ...(expire === undefined ? {} : { expire }) } }),
    (_, { name }) => {
      say({ tone: 'good', text: `Changed ${tokenName({ name })}.` });
      close();
      refresh();
    },
  );
  const remove = useMutation(
    ({ id }: ApiToken) => client.apiToken.remove({ params: { id } }),
    (_, token) => {
      say({ tone: 'good', text: `Deleted ${tokenName(token)}. It is refused from now on.` });
      close();
      refresh();
    },
  );

  return {
    query,
    tokens: hasData(query) ? query.data.rows : NONE,
    total: hasData(query) ? query.data.total : 0,
    refresh,
    create,
    update,
    remove,
    made,
    forget: useCallback(() => setMade(null), []),
  };
}
