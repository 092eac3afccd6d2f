// The server itself.
import * as z from 'zod';

/** Version of a server, in the form the official client reads. */
export const ServerVersion = z.object({
  version: z.int().meta({ description: 'major * 1,000,000 + minor * 1,000 + patch' }),
  product_type: z.string(),
});
export type ServerVersion = z.infer<typeof ServerVersion>;

/** Parts of a profile that are still on their way to nodes, in the form the official client reads. */
export const ProfileSync = z.object({ ngx: z.boolean(), lua_module: z.boolean() });
export type ProfileSync = z.infer<typeof ProfileSync>;
