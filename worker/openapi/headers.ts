/** Headers of requests and replies, as the description names them. Contract §1. */
import { SAMPLE } from '../shapes/sample.ts';

/** A header in the description. */
interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: { readonly type: 'string' | 'integer'; readonly [keyword: string]: unknown };
  readonly example: string | number;
}

/** Headers of replies. */
export const REPLY_HEADERS = {
  'X-Request-Id': {
    description: "The request's id: its own, or made; also in the log, the audit and errors",
    required: true,
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,128}$' },
    example: SAMPLE.requestId,
  },
  'Cache-Control': {
    description: 'Nothing of the API may be kept by caches',
    required: true,
    schema: { type: 'string', const: 'no-store' },
    example: 'no-store',
  },
  'X-Content-Type-Options': {
    description: 'The content is what `Content-Type` says',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
  },
  'Referrer-Policy': {
    description: 'A page shown from here tells no other where it was',
    required: true,
    schema: { type: 'string', const: 'no-referrer' },
    example: 'no-referrer',
  },
  'Server-Timing': {
    description:
      'Milliseconds of what was measured: `authorize`, and where a backend was asked `node` and `backend`',
    schema: { type: 'string', pattern: '^\\w+;dur=[\\d.]+(?:, \\w+;dur=[\\d.]+)*$' },
    example: 'authorize;dur=0.2, node;dur=3.1, backend;dur=1.4',
  },
  ETag: {
    description:
      'The revision of the resource, for `If-Match` and `If-None-Match`; absent where there is none, such as of a user whom a token of an identity provider tells of',
    schema: { type: 'string', pattern: '^(?:W/)?"[^"]*"$' },
    example: '"1773152131480"',
  },
  'Retry-After': {
    description: 'Seconds after which another try can do better',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  'RateLimit-Policy': {
    description:
      'The limit that was reached: its name, how many requests `q`, in how many seconds `w`',
    required: true,
    schema: { type: 'string' },
    example: '"user";q=6000;w=60',
  },
  'Idempotent-Replayed': {
    description: 'The reply is that of an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  Location: {
    description: 'Where the outcome of what goes on is to be asked for',
    required: true,
    schema: { type: 'string' },
    example: `/api/v1/templates/${SAMPLE.template}/runs/${SAMPLE.run}`,
  },
  'Preference-Applied': {
    description: 'With `Prefer: respond-async`: that it was followed (RFC 7240)',
    schema: { type: 'string', const: 'respond-async' },
    example: 'respond-async',
  },
  'Accept-Encoding': {
    description: 'The encoding of bodies that is taken, where another was sent',
    schema: { type: 'string', const: 'identity' },
    example: 'identity',
  },
  Allow: {
    description: 'The methods of the path',
    required: true,
    schema: { type: 'string' },
    example: 'GET, PATCH, DELETE',
  },
} as const satisfies Record<string, Header>;

/**
 * On every reply to a request with `Origin`, where the page's origin may call: named once, among
 * the components. Contract: "CORS".
 */
export const SHARING_HEADERS = {
  Vary: {
    description: 'With `Origin`: the reply depends on it',
    schema: { type: 'string' },
    example: 'Origin',
  },
  'Access-Control-Allow-Origin': {
    description: 'With `Origin`, where pages from there may read the reply',
    schema: { type: 'string' },
    example: 'https://app.example.com',
  },
  'Access-Control-Expose-Headers': {
    description: 'With `Origin`: the headers that pages may read',
    schema: { type: 'string' },
    example: 'ETag, X-Request-Id',
  },
  'Access-Control-Allow-Methods': {
    description: 'Of a preflight: the methods that pages may use',
    schema: { type: 'string' },
    example: 'GET, POST',
  },
  'Access-Control-Allow-Headers': {
    description: 'Of a preflight: the headers that pages may send',
    schema: { type: 'string' },
    example: 'Authorization, Content-Type',
  },
  'Access-Control-Max-Age': {
    description: 'Of a preflight: seconds for which the answer holds',
    schema: { type: 'integer' },
    example: 7200,
  },
} as const satisfies Record<string, Header>;

/** The name of a reply's header. */
export type ReplyHeader = keyof typeof REPLY_HEADERS | keyof typeof SHARING_HEADERS;

/** On every reply of the API. */
export const ON_ALL: readonly ReplyHeader[] = [
  'X-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
  'Referrer-Policy',
];

/** The headers of a reply, by reference to the components. */
export function headersNamed(names: readonly ReplyHeader[]) {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}

/** Headers that requests to several operations may have. */
export const REQUEST_HEADERS = {
  'X-Request-Id': {
    description:
      'An id to find the request by, of 1 to 128 visible ASCII characters; instead of any other the gateway makes one',
    schema: { type: 'string' },
    example: SAMPLE.requestId,
  },
  'Idempotency-Key': {
    description:
      'Makes it safe to send the request again: within 24 hours the same key and body answer the first reply, and nothing is done twice. The same key with another body is 422; while the first request runs it is 409',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: 'order-4711-attempt',
  },
  'If-Match': {
    description:
      'The `ETag` that the resource must still have, or `*` for any; otherwise it is 412 and nothing is changed',
    schema: { type: 'string' },
    example: '"1773152131480"',
  },
  'If-None-Match': {
    description: 'The `ETag` of what you have: if it is still so, the reply is 304 without a body',
    schema: { type: 'string' },
    example: '"1773152131480"',
  },
} as const satisfies Record<string, Header>;

/** The name of a request's header. */
type RequestHeader = keyof typeof REQUEST_HEADERS;

/** All of them as components. */
export function headerParameters() {
  return Object.fromEntries(
    Object.entries(REQUEST_HEADERS).map(([name, header]) => [
      name,
      { name, in: 'header' as const, ...header },
    ]),
  );
}

/** A request's header, by reference to the components. */
export function parameterNamed(name: RequestHeader) {
  return { $ref: `#/components/parameters/${name}` };
}
