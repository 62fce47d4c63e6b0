/** Numbers pass the JSON utilities with the digits that they were sent with. Contract §1, "Numbers in a body". */
import { beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../test/gateway.ts';

let gateway: TestGateway;
let headers: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway('Read');
  headers = {
    Authorization: `Bearer ${await gateway.token()}`,
    'Content-Type': 'application/json',
  };
});

async function post(operation: string, body: string): Promise<[status: number, text: string]> {
  const reply = await gateway.send(`/json/${operation}`, { method: 'POST', headers, body });
  return [reply.status, await reply.text()];
}

describe.each([
  ['2^53 + 1', '9007199254740993'],
  ['-(2^63)', '-9223372036854775808'],
  ['2^64 - 1', '18446744073709551615'],
  ['forty digits', '1234567890123456789012345678901234567890'],
  ['the double nearest to a tenth', '0.1000000000000000055511151231257827'],
  ['more than a double reaches', '-1.5e400'],
  ['less than a double reaches', '1e-400'],
])('%s', (_, number) => {
  const document = `{"a":{"n":${number}},"list":[${number},"${number}"],"n":${number}}`;

  test.each([
    [
      'flatten',
      `{"value":${document}}`,
      `{"a.n":${number},"list[0]":${number},"list[1]":"${number}","n":${number}}`,
    ],
    ['flatten', `{"value":${number},"prefix":"p"}`, `{"p":${number}}`],
    [
      'unflatten',
      `{"a.n":${number},"list[1]":${number}}`,
      `{"a":{"n":${number}},"list":[null,${number}]}`,
    ],
    ['unflatten', `{"":${number}}`, number],
    [
      'parse',
      `{"json":${document},"paths":["a.n","/list/0","list/..","$..n"]}`,
      `{"a.n":${number},"/list/0":${number},"list/0":${number},"list/1":"${number}","$['n']":${number},"$['a']['n']":${number}}`,
    ],
    [
      'parse',
      `{"json":${document},"paths":["$.list[?@ == ${number}]","$[?@ >= ${number}]"]}`,
      `{"$['list'][0]":${number},"$['n']":${number}}`,
    ],
    ['parse', `{"json":${document},"paths":["$.n.*","n.rawJSON","/n/rawJSON"]}`, '{}'],
    [
      'reduce',
      `{"json":${document},"paths":["a.n","list[0]"]}`,
      `{"a":{"n":${number}},"list":[${number}]}`,
    ],
    ['reduce', `{"json":${number},"paths":["$"]}`, number],
    [
      'map',
      `{"input":${document},"schema":{"x":"number"},"mappings":{"a.n":"x"}}`,
      `{"x":${number}}`,
    ],
  ])('%s %s', async (operation, body, reply) => {
    expect(await post(operation, body)).toEqual([200, reply]);
  });
});

describe('what is much too deep is refused, wherever it stands', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  test.each([
    ['flatten', `{"value":${deep}}`],
    ['unflatten', `{"a":${deep}}`],
    ['parse', `{"json":${deep},"paths":["$..*"]}`],
    ['reduce', `{"json":${deep},"paths":["$..*"]}`],
    ['map', `{"input":${deep},"schema":true,"mappings":{"":""}}`],
    ['map', `{"input":1,"schema":${deep},"mappings":{}}`],
  ])('%s', async (operation, body) => {
    const [status, text] = await post(operation, body);
    expect([status, JSON.parse(text)]).toEqual([
      400,
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringContaining('nests deeper than 1000'),
      }),
    ]);
  });

  test.each([
    ['flatten', (deepest: string) => `{"value":${deepest}}`],
    ['unflatten', (deepest: string) => `{"a":${deepest}}`],
    ['parse', (deepest: string) => `{"json":${deepest},"paths":["$..*"]}`],
    ['reduce', (deepest: string) => `{"json":${deepest},"paths":["$..[0]"]}`],
    [
      'map',
      (deepest: string) =>
        `{"input":${deepest},"schema":true,"mappings":{"":"${'a.'.repeat(990)}a"}}`,
    ],
  ])('but what is as deep as may be passes: %s', async (operation, bodyWith) => {
    const deepest = `${'['.repeat(999)}${']'.repeat(999)}`;
    expect((await post(operation, bodyWith(deepest)))[0]).toBe(200);
  });
});
