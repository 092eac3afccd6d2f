import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { checkOrigin } from './mcp-route.ts';

describe('checkOrigin', () => {
  const allowed = new Set(['https://app.example.com']);

  it('lets in programs, which send none, and the listed origins', () => {
    for (const origins of [new Set<string>(), allowed]) checkOrigin(undefined, origins);
    checkOrigin('https://app.example.com', allowed);
  });

  it.each(['https://evil.example', 'http://app.example.com', 'https://app.example.com:444', 'null', ''])(
    'refuses the origin %j',
    (origin) => {
      for (const origins of [new Set<string>(), allowed]) {
        expect(() => checkOrigin(origin, origins)).toThrow('Scripts of this origin');
      }
    },
  );
});

it('loads no tools with the server', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ resolve(name, context, next) { loaded.push(name); return next(name, context); } });
    await import(${JSON.stringify(new URL('../server.ts', import.meta.url).href)});
    console.log(loaded.includes('express'), loaded.filter((name) => /mcp$|modelcontextprotocol|quarterdeck.sdk/.test(name)));
  `;
  const args = ['--conditions=@quarterdeck/source', '--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('true []\n');
});
