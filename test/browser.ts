/** A real headless browser for tests, and what a page in it said and asked for. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { Failure } from '../server/failure.ts';
import { findChromium } from '../tooling/chromium.ts';

/** An open page. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings of its console, and what it threw. */
  readonly complaints: readonly string[];
  /** Addresses of all that it asked for. */
  readonly requested: readonly string[];
}

/**
 * Gives the tests of the enclosing `describe` a browser. Where none is installed they are skipped
 * and say what to install; in CI they fail.
 */
export function useBrowser(): (url: string, options?: BrowserContextOptions) => Promise<Opened> {
  let browser: Browser | undefined;
  let missing: Failure | undefined;
  beforeAll(async () => {
    try {
      // Its own sandbox is not available as root or in a container; it sees our own page alone.
      browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      missing = thrown;
      console.error(thrown.message);
    }
  });
  beforeEach(({ skip }) => {
    if (missing && process.env.CI) throw missing;
    if (missing) skip(missing.message);
  });
  afterAll(() => browser?.close());
  return async (url, options) => {
    if (browser === undefined) throw new Error('There is no browser');
    const context = await browser.newContext(options);
    return open(await context.newPage(), url);
  };
}

async function open(page: Page, url: string): Promise<Opened> {
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (thrown) => complaints.push(String(thrown)));
  page.context().on('request', (request) => requested.push(request.url()));
  page.on('websocket', (socket) => requested.push(socket.url()));
  await page.goto(url);
  return { page, complaints, requested };
}
