/** The reference page: what is served for it, and what a real browser shows of it. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { kindSpec, kinds } from '../kinds/index.ts';
import { ROOT } from '../server/bundle.ts';
import { type Opened, useBrowser } from './browser.ts';
import { fillIn, runInTurn } from './documents/shell.ts';
import { type Gateway, sharedGateway } from './gateway.ts';
import { checkedFetch } from './openapi/checked-fetch.ts';
import { newOrganization } from './organization.ts';

const VENDORED = join(ROOT, 'vendor/scalar');
const SCREENSHOTS = join(ROOT, 'test-results/docs');
const METHOD_AND_PATH = /^\s*(get|post|put|patch|delete)\s*\//i;
const ON_ALL_REPLIES = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-request-id': 'the-test',
};

let gateway: Gateway;
/** Such as `GET /api/v1/help`. */
let operations: readonly string[];
let renderer: string;
let note: { sha256: string; version: string; kept_as: string };

beforeAll(async () => {
  gateway = await sharedGateway();
  const description = await checkedFetch(`${gateway.url}/openapi.json`);
  const { paths } = (await description.json()) as { paths: Record<string, object> };
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  note = JSON.parse(await readFile(join(VENDORED, 'origin.json'), 'utf8'));
  const page = await (await get('/docs')).text();
  renderer = /src="(\/docs\/[^"]*\.js)"/.exec(page)?.[1] ?? 'no renderer';
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return checkedFetch(gateway.url + path, { headers: { 'X-Request-Id': 'the-test', ...headers } });
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('what is served', () => {
  test('the page lets in nothing from outside', async () => {
    const reply = await get('/docs');
    expect({ status: reply.status, ...Object.fromEntries(reply.headers) }).toEqual({
      ...ON_ALL_REPLIES,
      status: 200,
      'content-type': 'text/html; charset=utf-8',
      'content-length': expect.any(String),
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
  });

  test('the renderer is, to the byte, the file that its note names, with its licence', async () => {
    const kept = await readFile(join(VENDORED, note.kept_as));
    expect(sha256(gunzipSync(kept))).toBe(note.sha256);
    expect(await readdir(VENDORED)).toEqual(['LICENSE', 'origin.json', note.kept_as]);
    expect(renderer).toBe(`/docs/scalar-${note.version}-${note.sha256.slice(0, 16)}.js`);
  });

  test.each(['gzip', 'identity'])(
    'the renderer may be kept for ever, sent as %s',
    async (coding) => {
      const reply = await get(renderer, { 'Accept-Encoding': coding });
      expect({ status: reply.status, ...Object.fromEntries(reply.headers) }).toEqual({
        ...ON_ALL_REPLIES,
        status: 200,
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        etag: `W/"${note.sha256}"`,
        vary: 'Accept-Encoding',
        ...(coding === 'gzip'
          ? { 'content-encoding': 'gzip', 'content-length': expect.any(String) }
          : { 'transfer-encoding': 'chunked' }),
      });
      expect(sha256(await reply.bytes())).toBe(note.sha256);
    },
  );

  test('a renderer that the browser has is not sent again', async () => {
    const reply = await get(renderer, { 'If-None-Match': `"another", W/"${note.sha256}"` });
    expect({ status: reply.status, ...Object.fromEntries(reply.headers) }).toEqual({
      ...ON_ALL_REPLIES,
      status: 304,
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `W/"${note.sha256}"`,
      vary: 'Accept-Encoding',
    });
  });

  test.each(['/docs', '/openapi.json', '/healthz'])('%s is only read', async (path) => {
    const reply = await checkedFetch(gateway.url + path, { method: 'POST' });
    expect({ status: reply.status, allow: reply.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'GET, HEAD',
    });
  });
});

describe('in a browser', () => {
  const open = useBrowser();
  /** Opened once, for tests that only look. */
  let looked: Promise<Opened> | undefined;
  const look = () => (looked ??= open(`${gateway.url}/docs`));

  /** The operations that stand on the page where it is now. */
  async function shown(page: Page): Promise<string[]> {
    const items = page.getByRole('listitem').filter({ visible: true, hasText: METHOD_AND_PATH });
    return (await items.allInnerTexts()).map((text) => text.trim().replaceAll(/\s+/g, ' '));
  }

  test('shows every operation, without a complaint and without a request to elsewhere', async () => {
    const { page, complaints, requested } = await look();
    await page.getByRole('heading', { name: 'Causeway', exact: true }).waitFor();
    expect(await page.title()).toBe('Causeway');
    const missing = new Set(operations);
    expect(missing.size).toBeGreaterThan(50);
    await page.mouse.move(900, 500);
    const goOn = async () => {
      for (const operation of await shown(page)) missing.delete(operation);
      await page.mouse.wheel(0, 600);
      return [...missing];
    };
    await expect.poll(goOn, { timeout: 30_000, interval: 50 }).toEqual([]);
    expect(complaints).toEqual([]);
    expect(requested.filter((url) => new URL(url).origin !== gateway.url)).toEqual([]);
    expect(requested).toContain(`${gateway.url}/openapi.json`);
  });

  test('sends an operation with a token that was pasted, and shows its reply', async () => {
    const { id, token } = await newOrganization(gateway);
    const { page, complaints, requested } = await open(
      `${gateway.url}/docs#tag/organizations/GET/api/v1/organizations`,
    );
    const example = page.getByRole('group', { name: /get\s*\/api\/v1\/organizations$/i });
    await example.getByRole('button', { name: 'Test Request' }).click();
    const client = page.getByRole('dialog');
    await client.getByPlaceholder('Token').fill(token);
    await client.getByRole('button', { name: /^Send get request/ }).click();
    await client.getByText('200 OK').waitFor();
    await client.getByText(`"${id}"`).first().waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, 'request.png') });
    expect(complaints).toEqual([]);
    expect(requested.filter((url) => new URL(url).origin !== gateway.url)).toEqual([]);
    expect(requested).toContain(`${gateway.url}/api/v1/organizations`);
  });

  test('shows every request type of every kind where a request is sent', async () => {
    const { page } = await open(
      `${gateway.url}/docs#tag/requests/POST/api/v1/endpoints/{endpoint}/read`,
    );
    const body = page.locator('[id$="/endpoints/{endpoint}/read"]').getByLabel('Request Body');
    const choices = body.locator('[aria-haspopup="listbox"]');
    const words = new Set<string>();
    const options = page.getByRole('option');
    const types = new Set(
      (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) =>
        Object.keys(kindSpec(kind).types),
      ),
    );
    // A choice may open further ones below it: those of a kind's forms, and of what is in them.
    const explore = async (depth: number) => {
      if ((await choices.count()) <= depth) return;
      const choice = choices.nth(depth);
      await choice.click();
      const texts = await options.allInnerTexts();
      // A type may be of two words.
      const inEach = texts.map((text) =>
        [/[\s,·]+/, /\s*[,·\n]\s*/].flatMap((by) => text.split(by)),
      );
      for (const word of inEach.flat()) words.add(word);
      for (const [index, own] of inEach.entries()) {
        if (depth === 3 || own.some((word) => types.has(word))) continue;
        await options.nth(index).click();
        await explore(depth + 1);
        await choice.click();
      }
      await page.keyboard.press('Escape');
    };
    await explore(0);
    // Where there is one type, there is nothing to choose.
    const offered = (Object.keys(kinds) as (keyof typeof kinds)[])
      .map((kind) => Object.keys(kindSpec(kind).types))
      .filter(({ length }) => length > 1);
    expect([...words]).toEqual(expect.arrayContaining(offered.flat()));
  });

  test('introduces itself with lines that run', async () => {
    const { id, username, password, token } = await newOrganization(gateway);
    const { page } = await look();
    const lines = page.locator('pre').filter({ hasText: 'curl -sS $API' });
    await lines.first().waitFor();
    const written = await runInTurn(
      (await lines.allInnerTexts()).map((script) =>
        fillIn(script, {
          'ada@example.com:your password': `${username}:${password}`,
          ': acme': `: ${id}`,
          'eyJhbGci…': token,
        }),
      ),
    );
    expect(written.map((each) => JSON.parse(each?.stdout ?? 'null'))).toEqual([
      { token: expect.any(String), expires: expect.any(String), user: expect.any(Object) },
      { status: 'success', data: expect.anything() },
    ]);
  });

  test.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(15, 15, 15)'],
  ] as const)('is %s where its reader has everything so', async (colorScheme, background) => {
    const { page } = await open(`${gateway.url}/docs`, { colorScheme });
    await page.getByRole('heading', { name: 'Causeway', exact: true }).waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, `${colorScheme}.png`) });
    const found = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(found).toBe(background);
  });

  test('fits a phone', async () => {
    const { page } = await open(`${gateway.url}/docs`, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await page.getByRole('heading', { name: 'Causeway', exact: true }).waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, 'phone.png') });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  test('without scripts lists every operation', async () => {
    const { page, complaints } = await open(`${gateway.url}/docs`, { javaScriptEnabled: false });
    const rows = await page.getByRole('row').allInnerTexts();
    expect(rows.map((row) => row.split('\t').slice(0, 2).join(' ')).toSorted()).toEqual(
      operations.filter((operation) => operation.includes(' /api/v1/')).toSorted(),
    );
    await page.screenshot({ path: join(SCREENSHOTS, 'without-scripts.png') });
    expect(complaints).toEqual([]);
  });
});
