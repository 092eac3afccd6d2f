import { newSecret } from '../auth/secrets.ts';
import type { Command } from './command.ts';

export const tokenGenerate: Command = {
  name: 'token generate',
  parameters: [],
  summary: 'Print a new secret for the bootstrap file; it opens nothing yet and is stored nowhere',
  run: async ({ out }) => out(newSecret('api_token')),
};
