// Small pages for people who follow a link: text without scripts.
import { createHash } from 'node:crypto';
import { sendHtml } from '@quarterdeck/express/parts';
import type { Request, Response } from 'express';

const STYLE = `:root{color-scheme:light dark;--soft:#8882}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem;margin:.5rem 0}
h2{font-size:1rem;margin:1.5rem 0 .25rem}
p{margin:.25rem 0}
pre{background:var(--soft);padding:.5rem .75rem;border-radius:.25rem;white-space:pre-wrap;overflow-wrap:anywhere}
code,kbd,pre{font:.9rem ui-monospace,monospace}
kbd{border:1px solid;border-radius:.25rem;padding:0 .3rem}`;

const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Way from a page back to the root of the server; relative, for a proxy that serves it below a path. */
export const rootOf = (req: Pick<Request, 'path'>): string => '../'.repeat(req.path.split('/').length - 2) || './';

/** Sends a page. `title` is text, `content` is HTML. */
export function sendTextPage(req: Request, res: Response, status: number, title: string, content: string): void {
  const page = Buffer.from(pageOf(escapeHtml(title), content));
  sendHtml(req, res, status, page, CSP);
}

const pageOf = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} - Quarterdeck</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
