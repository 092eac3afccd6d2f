// Rules of the Message API of Pushover (https://pushover.net/api).
import { checkFields, isText, type Judge, type Shown } from './service.ts';

const REQUEST = '647d2300-702c-4b38-8b2f-d56326ae460b';
const LIMITS = { 'x-limit-app-limit': '10000', 'x-limit-app-remaining': '7496', 'x-limit-app-reset': '4102444800' };

/** One application of one user. */
export function pushoverRules(token: string, user: string): Judge {
  const shown: Shown[] = [];
  return {
    path: '',
    shown,
    answer({ path, body }) {
      const refusal = (...errors: string[]) => ({ status: 400, body: { status: 0, errors, request: REQUEST } });
      if (path !== '/1/messages.json') return { status: 404 };
      if (body.token !== token) return refusal('application token is invalid, see https://pushover.net/api');
      if (body.user !== user) return refusal('user identifier is not a valid user, group, or subscribed user key');
      const { title, message, url = 'x', url_title: urlTitle = 'x', priority, timestamp } = body;
      const wrong = checkFields({
        'title is too long': isText(title, 250),
        'message cannot be blank, or is too long': isText(message, 1024) && message.trim() !== '',
        'url is too long': isText(url, 512),
        'url_title is too long': isText(urlTitle, 100),
        'priority is invalid, or needs retry and expire': [-2, -1, 0, 1].includes(priority),
        'timestamp is invalid': Number.isInteger(timestamp),
      });
      if (wrong.length > 0) return refusal(...wrong);
      shown.push({ id: String(shown.length), text: `${title}\n${message}`, state: String(priority) });
      return { status: 200, headers: LIMITS, body: { status: 1, request: REQUEST } };
    },
  };
}
