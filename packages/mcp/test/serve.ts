// Serves the tools on stdio, as a program that an assistant starts.
import { createClient } from '@quarterdeck/sdk';
import { serveStdio } from '../src/index.ts';

const [url = '', changes = ''] = process.argv.slice(2);
const client = createClient({ url, apiToken: process.env['TEST_TOKEN'] });
await serveStdio(client, { version: '1.2.3', allowChanges: changes === 'changes' });
process.stderr.write('closed\n');
