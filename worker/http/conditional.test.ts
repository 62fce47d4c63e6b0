/** Conditional requests: what tags are, what they are compared with, and where they are taken. */
import { describe, expect, test } from 'vitest';
import { routes } from '../app.ts';
import { isHeld } from '../revision.ts';
import { methodsOf } from '../route.ts';
import { ask, STALE } from '../test/conditional.ts';
import { failure, insertEndpoint, startGateway } from '../test/gateway.ts';
import { ifMatchOf, isKnown } from './conditional.ts';

const request = (headers: Record<string, string>) =>
  new Request('http://gateway.test/', { headers });

describe('If-Match', () => {
  const read = (text: string) => ifMatchOf(request({ 'If-Match': text }), { conditional: true });

  test.each([
    ['*', 'any'],
    ['"7"', ['7']],
    ['"7", "8.9.Admin" ,"x"', ['7', '8.9.Admin', 'x']],
    [',"7",,\t"8",', ['7', '8']],
    ['"a,b", "c"', ['a,b', 'c']],
    ['""', ['']],
    ['W/"7"', []],
    ['W/"7", "8"', ['8']],
  ])('of %j is taken', (text, tags) => expect(read(text)).toEqual(tags));

  test.each([
    '',
    ',',
    '7',
    '"7',
    '7"',
    "'7'",
    '"7" "8"',
    '"7";"8"',
    '"a b"',
    'w/"7"',
    'W/ "7"',
    '*, "7"',
    '"7", *',
    '**',
  ])('of %j is no ETag', (text) => {
    const message = 'is no ETag: take one as a reply has it, with its quotes';
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: `If-Match: ${message}`,
        details: [{ path: 'If-Match', message }],
      }),
    );
  });

  test('of many thousand characters is read in no time', () => {
    const started = performance.now();
    expect(read('"a",'.repeat(4000))).toHaveLength(4000);
    expect(() => read(`"a"${' '.repeat(500_000)}x`)).toThrow('is no ETag');
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('that is not there asks for nothing', () => {
    expect(ifMatchOf(request({}), { conditional: true })).toBeUndefined();
    expect(ifMatchOf(request({}), {})).toBeUndefined();
  });

  test.each([
    [undefined, true],
    ['any', true],
    [['6', '7'], true],
    [['6'], false],
    [[], false],
  ] as const)('of %j holds a resource of tag 7: %j', (ifMatch, held) => {
    expect(isHeld('7', ifMatch)).toBe(held);
  });
});

describe('If-None-Match', () => {
  test.each([
    ['"7"', true],
    ['W/"7"', true],
    ['"6", W/"7"', true],
    ['*', true],
    ['"6"', false],
    ['7', false],
    ['', false],
  ])('of %j knows a resource of tag 7: %j', (text, known) => {
    expect(isKnown(request({ 'If-None-Match': text }), '7')).toBe(known);
  });
});

describe('an operation', () => {
  test('that changes or removes what can be shown is held to its tag', () => {
    const unheld = routes
      .filter((each) => methodsOf(each).some((method) => method === 'PATCH' || method === 'DELETE'))
      .filter(({ conditional }) => !conditional)
      .map(({ method, path }) => `${method} ${path}`);
    // Of placements and nodes there is no GET of one.
    expect(unheld).toEqual([
      'DELETE /endpoints/:endpoint/nodes/:gateway_node_uuid',
      'DELETE /endpoints/:endpoint/sessions/:session_id',
      'DELETE /nodes/:node',
    ]);
  });

  test('on what has no tag refuses to be held to one', async () => {
    const gateway = await startGateway('SuperAdmin');
    const endpoint = await insertEndpoint(gateway);
    const message = 'is not taken here: this operation is on nothing that has an ETag';
    const refused = {
      status: 400,
      etag: null,
      body: failure('BAD_REQUEST', `If-Match: ${message}`, [{ path: 'If-Match', message }]),
    };
    for (const [method, path] of [
      ['GET', '/endpoints'],
      ['POST', `/endpoints/${endpoint}/read`],
      ['PUT', `/endpoints/${endpoint}/nodes/${crypto.randomUUID()}`],
      ['DELETE', `/endpoints/${endpoint}/sessions/any`],
    ] as const) {
      expect(await ask(gateway, method, path, { ifMatch: '*' })).toEqual(refused);
    }
  });

  test('that asks for what is not there is refused where it is', async () => {
    const gateway = await startGateway('SuperAdmin');
    const endpoint = await insertEndpoint(gateway);
    const path = `/endpoints/${endpoint}`;
    for (const ifNoneMatch of ['*', ' * ']) {
      for (const [method, body] of [
        ['PATCH', { description: 'changed' }],
        ['DELETE', undefined],
      ] as const) {
        const bringing = { ifNoneMatch, ...(body ? { body } : {}) };
        expect(await ask(gateway, method, path, bringing)).toEqual(STALE);
        expect(await ask(gateway, method, '/endpoints/missing', bringing)).toMatchObject({
          status: 404,
        });
      }
    }
    expect(await ask(gateway, 'GET', path, { ifNoneMatch: '*' })).toMatchObject({ status: 304 });
  });

  test('that changes refuses to be held to what a resource is not, rather than to ignore it', async () => {
    const gateway = await startGateway('SuperAdmin');
    const path = `/endpoints/${await insertEndpoint(gateway)}`;
    const message = 'takes * alone in a change: name the revision to change by If-Match';
    for (const ifNoneMatch of ['"7"', 'W/"7"', '"7", *', '7']) {
      for (const method of ['PATCH', 'DELETE'] as const) {
        const bringing = { ifNoneMatch, ...(method === 'PATCH' ? { body: {} } : {}) };
        expect(await ask(gateway, method, path, bringing)).toEqual({
          status: 400,
          etag: null,
          body: failure('BAD_REQUEST', `If-None-Match: ${message}`, [
            { path: 'If-None-Match', message },
          ]),
        });
      }
    }
    expect(await ask(gateway, 'GET', path, {})).toMatchObject({ status: 200 });
  });

  test('without a token is refused for that, whatever it is held to', async () => {
    const gateway = await startGateway('SuperAdmin');
    const reply = await ask(gateway, 'DELETE', '/organizations', { ifMatch: 'none', bearer: 'x' });
    expect(reply.status).toBe(401);
  });
});
