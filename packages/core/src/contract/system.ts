import { z } from 'zod';
import { endpoint } from './endpoint.ts';

export const system = {
  version: endpoint({
    method: 'GET',
    path: '/admin-api/version',
    summary: 'Version of this server, in the form the official client reads',
    access: 'signed_in',
    data: z.object({
      version: z.int().meta({ description: 'major * 1,000,000 + minor * 1,000 + patch' }),
      product_type: z.string(),
    }),
  }),
};
