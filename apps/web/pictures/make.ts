// Takes the pictures of the page that documents show, in Chromium, on the demo. The clock stands still, so that a
// picture changes only with the page.
import { writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { startDemoServer } from './demo-server.ts';

/** A picture: its file, the address, and the window. */
interface Picture {
  readonly file: string;
  readonly place: string;
  /** Text that is there once the page is complete. */
  readonly text: string;
  readonly isPhone: boolean;
  readonly colorScheme: 'light' | 'dark';
}

const PICTURES: readonly Picture[] = [
  { file: 'page-alert', place: '/a/7', text: 'The newest', isPhone: true, colorScheme: 'dark' },
  { file: 'page-overview', place: '/', text: 'hosts online', isPhone: true, colorScheme: 'light' },
  { file: 'page-errors', place: '/e', text: 'groups', isPhone: false, colorScheme: 'light' },
  { file: 'page-error', place: '/e/239', text: 'Newest lines', isPhone: false, colorScheme: 'dark' },
];
const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };
const NOW_MS = Date.UTC(2026, 10, 20, 14, 3, 27);
const FOLDER = new URL('../../../docs/pictures/', import.meta.url);

const url = await startDemoServer(() => NOW_MS);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
for (const { file, place, text, isPhone, colorScheme } of PICTURES) {
  const context = await browser.newContext({
    viewport: isPhone ? PHONE : DESK,
    deviceScaleFactor: isPhone ? 2 : 1,
    isMobile: isPhone,
    hasTouch: isPhone,
    colorScheme,
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(NOW_MS);
  await page.goto(`${url}${place}`);
  await page.getByText(text).first().waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();
  writeFileSync(new URL(`${file}.png`, FOLDER), await page.screenshot());
  await context.close();
}
await browser.close();
