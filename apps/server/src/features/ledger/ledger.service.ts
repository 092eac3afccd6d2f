// The ledger over the API.
import type { contract, Service } from '@quarterdeck/core';
import type { CallContext } from '../../call-context.ts';
import type { Deps } from '../../deps.ts';
import { errlogStore } from '../../errlog-store/errlog-store.ts';

export function ledgerService({ db }: Pick<Deps, 'db'>): Service<(typeof contract)['ledger'], CallContext> {
  const store = errlogStore(db);
  return {
    list: ({ query: { src, start_time: startS, end_time: endS } }) => store.ledger({ src, startS, endS }),
  };
}
