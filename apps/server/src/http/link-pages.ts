// Pages for people who open a link of a message, until the server has real ones: each says how to read what the link
// is about. Everybody may open them, so they have no data. Programs get the failure of an unknown path, as before.
import { AppError } from '@quarterdeck/core';
import { addVary, refuseMethod } from '@quarterdeck/express/parts';
import { type Request, type Response, Router } from 'express';
import { rootOf, sendTextPage } from './text-page.ts';

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
  const root = rootOf(req);
  if (subject === undefined) sendTextPage(req, res, 404, 'This link is damaged', damagedContent(root));
  else sendTextPage(req, res, 200, subject.name, contentOf(subject, root));
}

const docsLink = (root: string) => `<p><a href="${root}docs">Documentation of the API</a></p>`;

const contentOf = ({ command, screen, key, api }: Subject, root: string) =>
  `<p>This server has no web page for it yet. You can read it in three ways. Each of them asks you to sign in.</p>
<h2>Command line</h2>
<pre><code>${command}</code></pre>
<h2>Dashboard</h2>
<p>Start <code>quarterdeck</code> and press <kbd>${key}</kbd> for the screen ${screen}.</p>
<h2>API</h2>
<pre><code>curl -H "API-Token: $TOKEN" "$URL${api}"</code></pre>
${docsLink(root)}`;

const damagedContent = (root: string) =>
  `<p>The link has no valid number. Copy the whole link from the message and open it again.</p>
${docsLink(root)}`;
