/** Cursors and limits of lists. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from '../test/gateway.ts';
import { type ListContext, PageQuery, readCursor, writeCursor } from './cursor.ts';

let context: ListContext;

beforeAll(async () => {
  const { organization, settings } = await startGateway('Read');
  const { uuid, sealedDataKey } = organization;
  context = { settings, orgUuid: uuid, sealedDataKey, list: 'endpoints', filters: '' };
});

describe('a cursor', () => {
  test.each(['orders', `it's "quoted"`, 'ü', ''])('brings %j back', async (last) => {
    expect(await readCursor(context, await writeCursor(context, last))).toBe(last);
  });

  test('shows nothing about what it stands after, and fits into a URL', async () => {
    const cursor = await writeCursor(context, 'orders');
    expect(cursor).toMatch(/^[\w.-]+$/);
    expect(cursor).not.toContain(btoa('orders'));
  });

  test('is none where none is given', async () => {
    expect(await readCursor(context, undefined)).toBeUndefined();
  });

  test('is refused in another list, when it was changed, and when it is none', async () => {
    const cursor = await writeCursor(context, 'orders');
    const changed =
      cursor.slice(0, -4) + cursor.slice(-4).replaceAll(/./g, (c) => (c === 'A' ? 'B' : 'A'));
    const attempts = [
      readCursor({ ...context, list: 'users' }, cursor),
      readCursor({ ...context, filters: '[["status","active"]]' }, cursor),
      readCursor(context, changed),
      readCursor(context, 'orders'),
      readCursor(context, 'v1.!.!'),
    ];
    for (const attempt of attempts) {
      await expect(attempt).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
  });
});

describe('the query of a list', () => {
  test.each([
    [{}, 1000],
    [{ limit: '1' }, 1],
    [{ limit: '1000' }, 1000],
  ])('%j is a limit of %i', (query, limit) => expect(PageQuery.parse(query).limit).toBe(limit));

  test.each(['0', '1001', '01', '-1', '1e2', ' 1', '', 'ten'])('refuses a limit of %j', (limit) => {
    expect(PageQuery.safeParse({ limit }).success).toBe(false);
  });
});
