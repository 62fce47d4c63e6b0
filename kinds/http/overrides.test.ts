/** No spelling of a header that names another method makes a write of what is sent to `/read`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRequest } from '../index.ts';
import { HttpConfig } from './config.ts';
import { faultOfHeader } from './headers.ts';

/** As frameworks, gateways and servers document them. */
const METHODS = [
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X-Method', 'X-HTTP-Verb'],
  ...['X-HTTP-Verb-Override', 'X-Verb-Override', 'X-REST-Method', 'X-Request-Method'],
  ...['HTTP-Method-Override', 'Method-Override', 'Request-Method', 'X-Tunneled-Method', '_method'],
  ...['X-Override-Method', 'X-Tunnel-Method', 'X-Requested-Method', 'X-Verb-Tunneling', 'Method'],
];
/** Of these the gateway says what they are, or nobody. */
const TARGETS = [
  ...[
    'X-Original-URL',
    'X-Original-Method',
    'X-Rewrite-URL',
    'X-Forwarded-Method',
    'X-Forwarded-Host',
  ],
  ...['X-Forwarded-Prefix', 'X-HTTP-Path-Override', 'X-Override-URL', 'X-HTTP-Host-Override'],
  ...['X-Envoy-Original-Path', 'SCRIPT_NAME', 'PATH_INFO', 'Transfer-Encoding', 'Content-Length'],
  ...['Proxy-Authorization', 'X-Real-IP', 'CF-Connecting-IP', 'Request-URI'],
];
const SEPARATORS = [..."-_.!#$%&'*+^`|~"];

/** Each letter in either case, each separator as any other that a header's name may have. */
function spellingsOf(names: readonly string[]): fc.Arbitrary<string> {
  return fc
    .constantFrom(...names)
    .chain((name) =>
      fc
        .tuple(
          ...[...name].map((each) =>
            /[a-z\d]/i.test(each)
              ? fc.constantFrom(each.toLowerCase(), each.toUpperCase())
              : fc.constantFrom(...SEPARATORS),
          ),
        )
        .map((each) => each.join('')),
    );
}

const read = (name: string) =>
  parseRequest('http', { path: '/orders', headers: { [name]: 'DELETE' } });

describe('a header that names another method', () => {
  test('is a write in every spelling, and says which header', () => {
    fc.assert(
      fc.property(spellingsOf(METHODS), (name) => {
        expect(read(name).mode).toBe('write');
      }),
      { numRuns: 5_000, seed: 7 },
    );
  });

  test('is not of a configuration, in any spelling', () => {
    fc.assert(
      fc.property(spellingsOf(METHODS), (name) => {
        const url = 'https://api.test/v1';
        const parsed = HttpConfig.safeParse({ write_conn: { url, headers: { [name]: 'PUT' } } });
        expect(parsed.error?.issues.map(({ path }) => path)).toEqual([
          ['write_conn', 'headers', name],
        ]);
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });
});

test('a header that names another target, or tells of the connection, is refused in every spelling', () => {
  fc.assert(
    fc.property(spellingsOf(TARGETS), (name) => {
      expect(faultOfHeader(name, 'x')).toBe('is for the gateway to set');
    }),
    { numRuns: 5_000, seed: 7 },
  );
});

test.each([
  ...['Accept', 'Authorization', 'X-Payment-Method', 'X-Own', 'If-None-Match', 'Range', 'Cookie'],
  ...['Access-Control-Request-Method', 'X-Requested-With', 'X-Methodology', 'X-Shipping-Method'],
  ...['X-Request-Id', 'Idempotency-Key', 'X-API-Key', 'Prefer', 'X-Url', 'X-Path', 'Traceparent'],
])('%s is a header as any other', (name) => {
  expect([read(name).mode, faultOfHeader(name, 'x')]).toEqual(['read', undefined]);
});
