/** That the description served at /openapi.json is whole, valid, and true of itself. */

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import spectral from '@stoplight/spectral-core';
import spectralRules from '@stoplight/spectral-rulesets';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from '../gateway.ts';
import { checkedFetch, descriptionOf } from './checked-fetch.ts';
import { Description, type Node } from './description.ts';
import { faultOf, linksIn } from './links.ts';
import { partOf } from './part.ts';
import { missingIn, wrongExamplesIn } from './whole.ts';

/** Milliseconds for Spectral, which takes minutes of a slow machine that does other things, too. */
const LINTED_MS = 600_000;

let origin: string;
let description: Description;
beforeAll(async () => {
  origin = (await sharedGateway()).url;
  description = await descriptionOf(origin);
});

/** What the OpenAPI Initiative's own schema says about it. */
async function faultsBySchema(document: Node): Promise<unknown> {
  const { errors } = await new Validator().validate(structuredClone(document));
  return errors;
}

/** What Redocly's rules say of it. */
async function faultsByRules(document: Node): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    // The project has no license; what is next to the API cannot be called wrongly.
    rules: {
      'info-license': 'off',
      'operation-4xx-response': 'off',
      // A choice by the members that are there names members of the schema that it is in.
      'no-required-schema-properties-undefined': 'off',
    },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer ?? ''}`);
}

/** What Spectral's recommended rules for OpenAPI say of it. */
async function faultsBySpectral(document: Node): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset({
    extends: [[{ ...spectralRules.oas, extends: [] }, 'recommended']],
    rules: {
      'info-contact': 'off',
      // Redocly says the same.
      'oas3-unused-component': 'off',
      // It takes examples of a schema that is named Json for examples of a reply.
      'oas3-examples-value-or-externalValue': 'off',
    },
  });
  const problems = await linter.run(document);
  return problems.map(({ code, path }) => `${code} #/${path.join('/')}`);
}

/** Of no operation, and so of no reference. */
const UNUSED = [
  'components/responses/NOT_FOUND',
  'components/responses/METHOD_NOT_ALLOWED',
  'components/responses/PREFLIGHT',
  'components/headers/Access-Control-Expose-Headers',
];

test('is valid OpenAPI 3.1 by its schema', async () => {
  expect(await faultsBySchema(description.document)).toBeUndefined();
});

test('keeps the rules of Redocly, except for a reply or header that no operation refers to, and a WebSocket', async () => {
  // Its success is 101.
  const tunnel = '#/paths/~1api~1v1~1nodes~1{node}~1tunnel/get/responses';
  const faults = await faultsByRules(description.document);
  expect(faults.toSorted()).toEqual(
    [
      ...UNUSED.map((each) => `no-unused-components #/${each}`),
      `operation-2xx-response ${tunnel}`,
    ].toSorted(),
  );
});

test(
  'keeps the rules of Spectral, except for a WebSocket',
  async () => {
    expect(await faultsBySpectral(description.document)).toEqual([
      'operation-success-response #/paths//api/v1/nodes/{node}/tunnel/get/responses',
    ]);
  },
  LINTED_MS,
);

test('links only to operations, by parameters that these have, from what the example of the reply has', () => {
  const links = linksIn(description);
  expect(links.filter((each) => faultOf(description, each) !== undefined)).toEqual([]);
  expect(links.length).toBeGreaterThan(100);
});

test('leads from what makes a thing to all that can be done with it', () => {
  const from = (id: string) =>
    linksIn(description).flatMap((each) => (each.from === id ? [each.operationId] : []));
  expect(from('endpointCreate')).toEqual(
    expect.arrayContaining(['endpointGet', 'endpointRead', 'endpointDelete', 'rbacEndpointsGet']),
  );
  expect(from('endpointSessionsCreate')).toEqual([
    'endpointRead',
    'endpointWrite',
    'endpointSessionsDelete',
  ]);
  expect(from('auditGet')).toEqual(['auditGet']);
});

test('describes every member, parameter and header, and has an example of every body, reply and error', () => {
  expect(missingIn(description)).toEqual([]);
});

test('has no example that its own schema refuses', () => {
  expect(wrongExamplesIn(description)).toEqual([]);
});

test('is served as bytes that a client can ask for by their tag', async () => {
  const url = `${origin}/openapi.json`;
  const first = await checkedFetch(url);
  const etag = first.headers.get('ETag') ?? '';
  const again = await checkedFetch(url, { headers: { 'If-None-Match': etag } });
  expect([
    first.status,
    first.headers.get('Content-Type'),
    first.headers.get('Cache-Control'),
  ]).toEqual([200, 'application/json', 'no-store']);
  expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', etag]);
  for (const known of [`"other", W/${etag}`, '*']) {
    const same = await checkedFetch(url, { headers: { 'If-None-Match': known } });
    expect([known, same.status]).toEqual([known, 304]);
  }
});

describe('a description that is wrong', () => {
  /** Enough for what is wrong to be noticed, in a twentieth of the time. */
  let part: Node;
  beforeAll(() => {
    part = partOf(description.document, ['/healthz', '/api/v1/nodes/{node}']);
  });

  const HEALTH = ['paths', '/healthz', 'get'];
  const CONTENT = [...HEALTH, 'responses', '200', 'content', 'application/json'];
  const MEMBER = [...CONTENT, 'schema', 'properties', 'status'];

  /** The part with a member of it replaced; removed when `value` is undefined. */
  function doctored(path: readonly string[], value: unknown): Description {
    const copy = structuredClone(part);
    const last = path.at(-1) ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: any part of a document of any shape.
    const holder = path.slice(0, -1).reduce((within: any, name) => within[name], copy);
    if (value === undefined) delete holder[last];
    else holder[last] = value;
    return new Description(copy);
  }

  test('is of a part in which nothing is', async () => {
    expect(await faultsBySchema(part)).toBeUndefined();
    expect(await faultsByRules(part)).toEqual([]);
    expect(missingIn(new Description(part))).toEqual([]);
    expect(wrongExamplesIn(new Description(part))).toEqual([]);
  });

  test('is valid to neither validator', async () => {
    const { document } = doctored(['info', 'version'], undefined);
    expect(await faultsBySchema(document)).toBeDefined();
    expect(await faultsByRules(document)).toContain('struct #/info');
  });

  test.each([
    [
      'a description of a member',
      MEMBER,
      { const: 'ok' },
      'schema/properties/status: no description',
    ],
    ['a summary', [...HEALTH, 'summary'], undefined, 'get: no summary'],
    [
      'a description of a header',
      ['components', 'headers', 'Retry-After', 'description'],
      ' ',
      '/components/headers/Retry-After: no description',
    ],
  ])('without %s is not whole', (_what, path, value, told) => {
    expect(missingIn(doctored(path, value)).map((each) => each.slice(-told.length))).toEqual([
      told,
    ]);
  });

  test('without an example of a reply is not whole', () => {
    const content = { schema: { type: 'string', description: 'A text' } };
    expect(missingIn(doctored(CONTENT, content))).toHaveLength(1);
  });

  test.each([
    ['a schema', MEMBER, { const: 'ok', description: 'x', examples: ['other'] }],
    ['a reply', CONTENT, { schema: { type: 'string' }, example: 1 }],
    ['a header', ['components', 'headers', 'Retry-After', 'example'], 'soon'],
    ['an error', ['components', 'examples', 'RATE_LIMITED', 'value'], { code: 'RATE_LIMITED' }],
  ])('with an example that is not of %s is noticed', (_what, path, value) => {
    expect(wrongExamplesIn(doctored(path, value))).not.toEqual([]);
  });
});
