// A person with a browser: Debian's Chromium on the pages of a real server. Anything that the browser reports as an
// error fails the test, violations of the content security policy included.
import axeCore from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { findProgram } from '../../../test/programs.ts';
import { PASSWORD, type Settings, startApi, type TestApi, useServer } from '../../server/test/start-api.ts';
import { builtPage } from './built-page.ts';

const executablePath = findProgram('chromium');

/** True where there is no Chromium: the tests are skipped. */
export const hasNoBrowser = executablePath === undefined;

/** Windows that people have. */
export const PHONE = { width: 360, height: 740 };
export const DESK = { width: 1280, height: 800 };

/** A window in a colour scheme. */
export interface Look {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
}

/** Every look that is tested. */
export const LOOKS: readonly Look[] = [PHONE, DESK].flatMap((viewport) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ viewport, colorScheme })),
);

/** Name of a look, for tests. */
export const lookName = ({ viewport, colorScheme }: Look): string => `${viewport.width} ${colorScheme}`;

/** Answers that a story causes on purpose, which browsers log as errors. */
const EXPECTED_LOG = /^Failed to load resource: the server responded with a status of (401|403|404)/;

const axe = axeCore.source;

/** A violation that axe found. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** A person with a page open. */
export class Visitor implements AsyncDisposable {
  readonly errors: string[] = [];
  readonly page: Page;
  readonly #url: string;
  readonly #context: BrowserContext;
  readonly #expected: RegExp[] = [EXPECTED_LOG];

  private constructor(url: string, context: BrowserContext, page: Page) {
    this.#url = url;
    this.#context = context;
    this.page = page;
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !this.#expected.some((one) => one.test(text))) this.errors.push(text);
    });
    page.on('pageerror', (error) => this.errors.push(error.message));
  }

  /** Opens a window that nobody has signed in at. */
  static async open(browser: Browser, url: string, { viewport, colorScheme }: Look): Promise<Visitor> {
    const isPhone = viewport.width < DESK.width;
    const context = await browser.newContext({
      ...{ viewport, colorScheme, hasTouch: isPhone, isMobile: isPhone },
      // Certificates of tests have an authority of their own.
      ignoreHTTPSErrors: true,
    });
    return new Visitor(url, context, await context.newPage());
  }

  /** Allows the browser to report errors that the story causes. */
  expects(error: RegExp): void {
    this.#expected.push(error);
  }

  /** Goes to a place of the page, as with a link in a message. */
  async goTo(place: string): Promise<void> {
    await this.page.goto(`${this.#url}${place}`);
  }

  /** Signs in without the form. */
  async signInAs(username: string): Promise<void> {
    const headers = { 'Content-Type': 'application/json', 'Quarterdeck-Session': 'cookie' };
    const body = JSON.stringify({ username, password: PASSWORD });
    const answer = await fetch(`${this.#url}/admin-api/user/login`, { method: 'POST', headers, body });
    const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0]?.split('=') ?? [];
    await this.#context.addCookies([{ name, value, url: this.#url }]);
  }

  /** Presses a button, or another control with this name. */
  press(name: string, role: 'button' | 'link' = 'button'): Promise<void> {
    return this.page.getByRole(role, { name, exact: true }).click();
  }

  /** Types into a field. */
  type(label: string, text: string): Promise<void> {
    return this.page.getByLabel(label, { exact: true }).fill(text);
  }

  /** Waits until a text can be seen. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** The place of the page: path, query and fragment. */
  place(): string {
    return this.page.url().slice(this.#url.length);
  }

  /** Returns what axe finds wrong. */
  async accessibilityProblems(): Promise<string[]> {
    await this.page.evaluate(axe);
    const violations: Violation[] = await this.page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }

  /** Returns what is wider than the window. */
  widerThanWindow(): Promise<string[]> {
    return this.page.evaluate(`[...document.querySelectorAll('body *')]
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.closest('pre, [popover], .action-bar') === null)
      .map((one) => one.outerHTML.slice(0, 120))`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
    expect(this.errors).toEqual([]);
  }
}

/** Starts a server that has the page. */
export const startWithPage = async (settings: Settings = {}): Promise<TestApi> =>
  startApi(settings, { pageFolder: await builtPage() });

/** Starts a server and a browser before the tests of a file. Returns the server, and a function that opens a window. */
export function useVisitors(start: () => Promise<TestApi> = () => startWithPage()): {
  readonly api: TestApi;
  readonly open: (look?: Look, url?: string) => Promise<Visitor>;
} {
  const api = useServer(start);
  let browser: Browser | undefined;
  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: executablePath ?? '', args });
  });
  afterAll(() => browser?.close());
  const open = (look: Look = { viewport: PHONE, colorScheme: 'dark' }, url = api.url): Promise<Visitor> => {
    if (browser === undefined) throw new Error('The browser starts before the first test.');
    return Visitor.open(browser, url, look);
  };
  return { api, open };
}
