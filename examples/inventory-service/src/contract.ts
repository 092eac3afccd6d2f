// The contract of the inventory: what the service answers, and what its clients are typed by.
import { endpoint } from '@quarterdeck/express';
import { z } from 'zod';

/** A spare part in a store room. */
export const Item = z.object({
  id: z.int(),
  name: z.string(),
  room: z.string(),
  count: z.int().min(0),
});
export type Item = z.infer<typeof Item>;

const ItemId = z.object({ id: z.coerce.number().int().min(1) });

/** Endpoints by noun. Their access names permissions that people have in Quarterdeck. */
export const contract = {
  item: {
    list: endpoint({
      method: 'GET',
      path: '/items',
      summary: 'Spare parts, optionally of one room',
      access: 'agent:read',
      query: z.object({ room: z.string().max(50).optional() }),
      data: z.array(Item),
      bareList: true,
    }),
    get: endpoint({
      method: 'GET',
      path: '/items/{id}',
      summary: 'One spare part',
      access: 'agent:read',
      params: ItemId,
      data: Item,
      errors: ['not_found'],
    }),
    take: endpoint({
      method: 'POST',
      path: '/items/{id}/take',
      summary: 'Take some from the store room',
      access: 'agent:write',
      params: ItemId,
      body: z.object({ count: z.int().min(1).max(100) }),
      data: Item,
      errors: ['not_found', 'conflict'],
    }),
  },
};
