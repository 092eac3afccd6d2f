// A client of the inventory: its methods and types come from the contract.
import { createClient } from '@quarterdeck/sdk';
import { contract, type Item } from './contract.ts';

/** Lists the spare parts of which fewer than `least` are left. */
export async function findShortages(url: string, apiToken: string, least: number): Promise<Item[]> {
  const inventory = createClient({ url, apiToken, contract, checkAnswers: true });
  const items = await inventory.item.list();
  return items.filter(({ count }) => count < least);
}
