// A server whose lines are in ClickHouse.
import { serve } from '../../apps/server/src/compose/serve.ts';
import { openLines } from './engine.ts';

process.umask(0o077);
await serve({ openLines });
