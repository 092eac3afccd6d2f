import { newSecret } from '../auth/secrets.ts';
import type { CommandCall } from './command.ts';

export async function generateToken({ out }: CommandCall): Promise<void> {
  out(newSecret('api_token'));
}
