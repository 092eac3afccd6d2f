// The ledger over the API.
import type { contract, Service } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { errlogStore } from '@quarterdeck/store';
import type { CallContext } from '../call-context.ts';
import { accessOf } from '../seen-sources.ts';

export function ledgerService({ db }: { readonly db: Database }): Service<(typeof contract)['ledger'], CallContext> {
  const store = errlogStore(db);
  return {
    list: async ({ query: { src, start_time: startS, end_time: endS }, actor }) =>
      store.ledger({ src, startS, endS }, await accessOf(db, actor)),
  };
}
