// A browser without a screen for tests of redirects: it follows them, and keeps the cookies of each origin.

/** An answer at the end of redirects. */
export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  /** Addresses on the way, the last one included. */
  readonly way: readonly string[];
}

export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  cookies(origin: string): Map<string, string> {
    const known = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, known);
    return known;
  }

  /** Opens an address. `onWay` may change or end the way: undefined stops before an address. */
  async open(address: string, onWay: (url: string) => string | undefined = (url) => url): Promise<Visit> {
    const way: string[] = [];
    for (let url = address; ; ) {
      way.push(url);
      const { origin } = new URL(url);
      const cookies = this.cookies(origin);
      const headers: Record<string, string> = {
        accept: 'text/html',
        // A link of the page of this origin, or the way back from another site.
        'sec-fetch-site': way.every((one) => new URL(one).origin === origin) ? 'same-origin' : 'cross-site',
      };
      if (cookies.size > 0) headers['cookie'] = [...cookies].map((pair) => pair.join('=')).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers });
      this.#keep(response, origin);
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null) return { status: response.status, url, text, way };
      const next = onWay(new URL(location, url).href);
      if (next === undefined) return { status: response.status, url, text, way };
      url = next;
    }
  }

  #keep(response: Response, origin: string): void {
    const cookies = this.cookies(origin);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
  }

  /** Calls the API with the cookie of the session, as the page does. */
  async call(address: string, init: { readonly method?: string; readonly body?: unknown } = {}) {
    const { origin } = new URL(address);
    const cookies = [...this.cookies(origin)].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(address, {
      method: init.method ?? 'GET',
      headers: {
        cookie: cookies,
        'quarterdeck-session': 'cookie',
        'sec-fetch-site': 'same-origin',
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
    this.#keep(response, origin);
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    return { status: response.status, body: (await response.json()) as any };
  }
}
