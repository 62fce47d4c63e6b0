/** Forms that are sent to webhooks. Spec: workflows.md §5, `webhook`. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../proto/json.ts';
import { hook, type Shop, signed, startShop } from './test/shop.ts';

describe('a delivery', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
    const mapping = { body: '$.body' };
    await shop.store('asked', hook('asked', { synchronous: true, mapping }));
  });

  test('is read from a form', async () => {
    const text = 'a=1&b=x+y%20%C3%A9&b=&__proto__=p';
    const type = 'application/x-www-form-urlencoded; charset=UTF-8';
    const reply = await shop.post('asked', text, { 'Content-Type': type, ...(await signed(text)) });
    const { output } = reply.body as unknown as { output: { of: { body: JsonObject } } };
    expect(JSON.stringify(output.of.body)).toBe('{"a":"1","b":["x y é",""],"__proto__":"p"}');
  });

  test('is read from a form with files', async () => {
    const text = [
      '--x',
      'Content-Disposition: form-data; name="a"',
      '',
      '1',
      '--x',
      'Content-Disposition: form-data; name="f"; filename="f.bin"',
      'Content-Type: application/octet-stream',
      '',
      'abc',
      '--x--',
      '',
    ].join('\r\n');
    const type = 'multipart/form-data; boundary=x';
    const reply = await shop.post('asked', text, { 'Content-Type': type, ...(await signed(text)) });
    const { output } = reply.body as unknown as { output: { of: { body: JsonObject } } };
    expect(output.of.body).toEqual({
      a: '1',
      f: { filename: 'f.bin', type: 'application/octet-stream', content: { $bytes: 'YWJj' } },
    });
  });

  test('of a form with more than 10,000 fields is refused', async () => {
    const text = '&a'.repeat(10_001);
    const type = 'application/x-www-form-urlencoded';
    const reply = await shop.post('asked', text, { 'Content-Type': type, ...(await signed(text)) });
    expect(reply.body).toMatchObject({ message: 'The body has more than 10000 fields' });
  });
});
