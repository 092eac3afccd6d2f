// Rules of ntfy 2.16 (https://docs.ntfy.sh/publish).
import type { Answer } from '../start-api.ts';
import { checkFields, isText, type Judge, type Shown } from './service.ts';

const refusal = (status: number, code: number, error: string) => ({
  status,
  body: { code, http: status, error, link: 'https://ntfy.sh/docs/publish/' },
});

const isAction = ({ action, label, url }: Answer) => action === 'view' && isText(label, 100) && URL.canParse(url);

/** A server with one protected topic. */
export function ntfyRules(token: string): Judge {
  const shown: Shown[] = [];
  return {
    path: '/alerts-topic',
    shown,
    answer({ method, path, headers, body }) {
      if (method !== 'POST' || path !== '/') return refusal(404, 40401, 'page not found');
      if (headers.authorization !== `Bearer ${token}`) return refusal(401, 40101, 'unauthorized');
      const { topic, title, message, priority, tags, click, actions = [], sequence_id: sequence } = body;
      const wrong = checkFields({
        topic: /^[-_A-Za-z0-9]{1,64}$/.test(topic),
        title: title === undefined || isText(title, 300),
        message: typeof message === 'string' && message !== '',
        priority: [1, 2, 3, 4, 5].includes(priority),
        tags: Array.isArray(tags) && tags.every((tag: unknown) => isText(tag, 60)),
        click: click === undefined || URL.canParse(click),
        actions: actions.length <= 3 && actions.every(isAction),
        sequence_id: sequence === undefined || /^[-_A-Za-z0-9]{1,64}$/.test(sequence),
      });
      if (wrong.length > 0) return refusal(400, 40024, `invalid request: ${wrong.join(', ')} invalid`);
      // A longer message becomes an attachment, which is no message to read.
      if (Buffer.byteLength(message) > 4096) return refusal(413, 41301, 'attachment too large');
      const id = `ntfy${shown.length}abcdef`;
      const known = shown.find((one) => one.id === sequence);
      const text = `${title}\n${message}`;
      if (known === undefined) shown.push({ id, text, state: String(priority) });
      else Object.assign(known, { text, state: String(priority) });
      const time = Math.floor(Date.now() / 1000);
      return { status: 200, body: { id, time, event: 'message', topic, title, message, sequence_id: sequence ?? id } };
    },
  };
}
