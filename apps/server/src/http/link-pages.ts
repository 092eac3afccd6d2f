// Pages for people who open a link of a message, until the server has real ones: each says how to read what the link
// is about. Everybody may open them, so they have no data. Programs get the failure of an unknown path, as before.
import { createHash } from 'node:crypto';
import { AppError } from '@quarterdeck/core';
import { addVary, refuseMethod, setHead } from '@quarterdeck/express/parts';
import { type Request, type Response, Router } from 'express';

/** Subject of a link, and the ways to read it: our own words, and digits of the path. */
interface Subject {
  /** Name for people, such as `Alert 12`. */
  readonly name: string;
  readonly command: string;
  /** Screen of the dashboard, and its key. */
  readonly screen: string;
  readonly key: string;
  readonly api: string;
}

type Describe = (id: string) => Subject;

/** Path -> what its links open. The paths are those of the links in messages. */
const SUBJECTS = {
  '/a/{id}': (id) => ({
    name: `Alert ${id}`,
    command: `quarterdeck alerts show ${id}`,
    screen: 'Alerts',
    key: 'gt',
    api: `/admin-api/alert/instance/${id}`,
  }),
  '/e/{id}': (id) => ({
    name: `Error ${id}`,
    command: `quarterdeck errors get ${id}`,
    screen: 'Error logs',
    key: '2',
    api: `/admin-api/log_server/errlog/${id}`,
  }),
  '/h/{id}': (id) => ({
    name: `Host ${id}`,
    command: `quarterdeck agents get ${id}`,
    screen: 'Agents',
    key: '3',
    api: `/api/agents/${id}`,
  }),
} as const satisfies Record<string, Describe>;

const changes = (id: string): Subject => ({
  name: id === '' ? 'Changes' : `Change ${id}`,
  command: id === '' ? 'quarterdeck change list' : `quarterdeck change get ${id}`,
  screen: 'Changes',
  key: '9',
  api: id === '' ? '/admin-api/change' : `/admin-api/change/${id}`,
});
const CHANGES = '/changes';

const ID = /^[1-9]\d{0,14}$/;

/** Creates the pages. */
export function linkPages(): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, describe] of Object.entries(SUBJECTS)) {
    router
      .route(path.replace('{id}', ':id'))
      .get((req, res) => {
        const { id = '' } = req.params as { readonly id?: string };
        answer(req, res, ID.test(id) ? describe(id) : undefined);
      })
      .all(refuseMethod(['GET']));
  }
  router
    .route(CHANGES)
    .get((req, res) => {
      const { id = '' } = req.query;
      answer(req, res, typeof id === 'string' && (id === '' || ID.test(id)) ? changes(id) : undefined);
    })
    .all(refuseMethod(['GET']));
  return router;
}

/** Sends the page to a browser; `subject` is undefined for a link that is damaged. */
function answer(req: Request, res: Response, subject: Subject | undefined): void {
  addVary(res, 'Accept');
  // A client that takes anything is a program; browsers name HTML.
  if (req.accepts(['json', 'html']) !== 'html') throw new AppError('unknown_path');
  // Relative, for a proxy that serves this server below a path.
  const root = '../'.repeat(req.path.split('/').length - 2) || './';
  const page = Buffer.from(subject === undefined ? damagedPage(root) : pageOf(subject, root));
  setHead(res, subject === undefined ? 404 : 200, 'text/html; charset=utf-8');
  res.setHeader('Content-Security-Policy', CSP);
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Content-Length', page.length);
  res.end(req.method === 'HEAD' ? undefined : page);
}

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

/** A whole page. `content` is HTML. */
const html = (title: string, content: string) => `<!doctype html>
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

const docsLink = (root: string) => `<p><a href="${root}docs">Documentation of the API</a></p>`;

const pageOf = ({ name, command, screen, key, api }: Subject, root: string) =>
  html(
    name,
    `<p>This server has no web page for it yet. You can read it in three ways. Each of them asks you to sign in.</p>
<h2>Command line</h2>
<pre><code>${command}</code></pre>
<h2>Dashboard</h2>
<p>Start <code>quarterdeck</code> and press <kbd>${key}</kbd> for the screen ${screen}.</p>
<h2>API</h2>
<pre><code>curl -H "API-Token: $TOKEN" "$URL${api}"</code></pre>
${docsLink(root)}`,
  );

const damagedPage = (root: string) =>
  html(
    'This link is damaged',
    `<p>The link has no valid number. Copy the whole link from the message and open it again.</p>
${docsLink(root)}`,
  );
