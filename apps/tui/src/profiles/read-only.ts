// Read-only profiles: refuses every change before it leaves this program.

/** Requests that are allowed, because they only begin and end sessions. */
const ALLOWED = /\/admin-api\/user\/(login|logout)\/?$/;

/** Returns a fetch that allows reads only. */
export function readOnly(fetcher: typeof fetch): typeof fetch {
  return async (input, init) => {
    const method = (init?.method ?? 'GET').toUpperCase();
    const path = new URL(String(input)).pathname;
    if (method === 'GET' || ALLOWED.test(path)) return fetcher(input, init);
    const body = {
      status: 403,
      msg: 'This profile is read-only; nothing was sent.',
      time: 0,
      err: { code: 'forbidden' },
    };
    return Response.json(body, { status: 403 });
  };
}
