import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../../test/thoroughness.ts';

it.runIf(IS_THOROUGH)('loads no tools with the server', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve(name, context, next) { loaded.push(name); return next(name, context); } });
    await import(${JSON.stringify(new URL('../compose/server.ts', import.meta.url).href)});
    console.log(loaded.includes('express'), loaded.filter((name) => /mcp$|modelcontextprotocol|quarterdeck.sdk/.test(name)));
  `;
  const args = ['--conditions=@quarterdeck/source', '--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('true []\n');
});
