// Rules of the Alert API of Opsgenie (https://docs.opsgenie.com/docs/alert-api).
import type { Answer } from '../start-api.ts';
import { checkFields, isText, type Judge, type Shown } from './service.ts';

const ACCEPTED = {
  status: 202,
  body: { result: 'Request will be processed', took: 0.302, requestId: '43a29c5c-3dbf-4fa4-9c26-f4f71023e120' },
};

const refusal = (fields: readonly string[]) => ({
  status: 422,
  body: {
    message: 'Request body is not processable. Please check the errors.',
    errors: Object.fromEntries(fields.map((field) => [field, 'invalid'])),
    took: 0.001,
    requestId: '43a29c5c-3dbf-4fa4-9c26-f4f71023e120',
  },
});

/** One API integration; what is shown are its alerts. */
export function opsgenieRules(key: string): Judge {
  const shown: Shown[] = [];

  function create({ message, alias, description = '', priority, source = '', tags = [] }: Answer) {
    const wrong = checkFields({
      message: isText(message, 130),
      alias: isText(alias, 512),
      description: isText(description, 15_000, 0),
      priority: ['P1', 'P2', 'P3', 'P4', 'P5'].includes(priority),
      source: isText(source, 100, 0),
      tags: tags.length <= 20 && tags.every((tag: unknown) => isText(tag, 50)),
    });
    if (wrong.length > 0) return refusal(wrong);
    const open = shown.find(({ id, state }) => id === alias && state !== 'closed');
    if (open === undefined) shown.push({ id: alias, text: `${message}\n${description}`, state: 'open' });
    return ACCEPTED;
  }

  return {
    path: '',
    shown,
    answer({ path, headers, body }) {
      if (headers.authorization !== `GenieKey ${key}`) {
        return { status: 401, body: { message: 'Could not authenticate', took: 0, requestId: '0' } };
      }
      if (path === '/v2/alerts') return create(body);
      const [, alias, verb] = /^\/v2\/alerts\/([^/]+)\/(\w+)\?identifierType=alias$/.exec(path) ?? [];
      if (alias === undefined || verb === undefined) return { status: 404, body: { message: 'No handler' } };
      if (!isText(body.note ?? '', 25_000, 0)) return refusal(['note']);
      // The request is accepted, whether or not there is such an alert.
      const open = shown.find(({ id, state }) => id === decodeURIComponent(alias) && state !== 'closed');
      if (open !== undefined) {
        open.text += `\n${body.note}`;
        open.state = { acknowledge: 'acknowledged', close: 'closed' }[verb] ?? open.state;
      }
      return ACCEPTED;
    },
  };
}
