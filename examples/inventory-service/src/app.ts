// The inventory as an Express app. Callers sign in to Quarterdeck; this service has no users of its own.
import { AppError, type Identify, type Services, serveContract } from '@quarterdeck/express';
import express, { type Express } from 'express';
import { contract, Item } from './contract.ts';

/** Creates the app with the items that are there at the beginning. */
export function createInventory(identify: Identify, items: readonly Item[]): Express {
  const stock = new Map(items.map((item) => [item.id, item]));
  const find = (id: number): Item => {
    const item = stock.get(id);
    if (item === undefined) throw new AppError('not_found');
    return item;
  };
  const services: Services<typeof contract> = {
    item: {
      async list({ query: { room } }) {
        const data = [...stock.values()].filter((item) => room === undefined || item.room === room);
        return { data, meta: { count: data.length } };
      },
      get: async ({ params: { id } }) => find(id),
      async take({ params: { id }, body: { count } }) {
        const item = find(id);
        if (item.count < count) throw new AppError('conflict', { message: `Only ${item.count} are left.` });
        const left = { ...item, count: item.count - count };
        stock.set(id, left);
        return left;
      },
    },
  };
  const app = express();
  app.use(
    serveContract(contract, services, {
      info: { title: 'Inventory', version: '1.0.0' },
      tags: { item: 'Spare parts of the store rooms.' },
      nouns: { Item: { schema: Item, description: 'A spare part in a store room.' } },
      identify,
    }),
  );
  return app;
}
