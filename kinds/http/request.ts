/** Requests to an http endpoint. Contract §6, "http kind". */
import * as z from 'zod';
import { isPaddedBase64 } from '../../proto/base64.ts';
import type { Mode } from '../../proto/driver.ts';
import { isJsonObject, isRawJson, type Json } from '../../proto/json.ts';
import { onlyNameOf } from '../../proto/ordered-json.ts';
import { JsonValue, kindMember, TimeoutMs } from '../members.ts';
import { faultOfPath, HALF_A_PAIR, PATH_MAX } from './address.ts';
import { Headers } from './config.ts';
import { isMethodOverride } from './overrides.ts';

/** Methods that a request may have. Contract §6. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/** A number that a double cannot hold is the text that it was written with: so it is in a URL. */
const QueryValue = z.preprocess(
  (value) => (isRawJson(value) ? value.rawJSON : value),
  z.union([z.string().refine(isText, HALF_A_PAIR), z.number(), z.boolean(), z.null()], {
    error: 'must be text, a number, a boolean, null, or a list of such',
  }),
);

const members = {
  kind: kindMember('Http'),
  method: z
    .string()
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(METHODS, { error: `must be one of ${METHODS.join(', ')}` }))
    .default('GET')
    .meta({
      description:
        'GET and HEAD are taken on `/read`, the others on `/write` alone; left out, it is GET',
      examples: ['POST'],
    }),
  path: z
    .string()
    .max(PATH_MAX)
    .superRefine((path, faults) => {
      const message = faultOfPath(path);
      if (message !== undefined) faults.addIssue({ code: 'custom', message });
    })
    .default('')
    .meta({
      description:
        'Under the URL of the endpoint, percent-encoded, without query; left out, it is the URL itself',
      examples: ['/orders/7'],
    }),
  query: z
    .record(
      z.string(),
      z.union([QueryValue, z.array(QueryValue)], {
        error: 'must be text, a number, a boolean, null, or a list of such',
      }),
      { error: 'must be an object of names and values' },
    )
    .refine((query) => Object.keys(query).every(isText), HALF_A_PAIR)
    .optional()
    .meta({
      description:
        'Parameters by their names; a list stands for several of one name, null for none',
      examples: [{ limit: 2, tag: ['new', 'paid'] }],
    }),
  headers: Headers.optional().meta({
    description:
      "In any letter case; those of the endpoint win. Headers of the connection, and those that tell of proxies, are the gateway's; those that name another method (`X-HTTP-Method-Override`, …) are taken on `/write` alone",
    examples: [{ Accept: 'application/json' }],
  }),
  body: JsonValue.optional().meta({
    description:
      'Text is sent as it is, `{"$bytes": base64}` as bytes, any other value as JSON; GET and HEAD have none',
    examples: [{ customer: 7 }],
  }),
  body_encoding: z
    .enum(['json', 'text', 'base64', 'none'])
    .optional()
    .meta({
      description:
        'How `body` is meant, where it does not show: `json` sends text as JSON, `base64` as the bytes that it encodes. As results have it',
      examples: ['base64'],
    }),
  retry: z
    .boolean()
    .optional()
    .meta({
      description:
        '`false` sends once; left out, GET and HEAD are sent up to three times while the server cannot be reached or answers 502, 503 or 504, other methods while they provably have not reached it',
      examples: [false],
    }),
  fail_on_status: z
    .boolean()
    .optional()
    .meta({
      description:
        '`true` makes a status from 400 on an error, `REQUEST_FAILED`; left out, it is a result',
      examples: [true],
    }),
  timeout_ms: TimeoutMs,
};

/** As clients send it without a `type`. */
export const BareHttpRequest = z
  .strictObject(members)
  .superRefine(demandBody)
  .meta({
    id: 'HttpBareRequest',
    description: 'A request to the server; the type is `request`',
    examples: [{ path: '/orders', query: { limit: 2 } }],
  });

/** The request that says its type; for the API's description, where a choice of one is none. */
export const TypedRequest = z
  .strictObject({
    type: z.literal('request').meta({ description: 'The one type that there is' }),
    ...members,
  })
  .superRefine(demandBody)
  .meta({
    id: 'HttpTypedRequest',
    description: 'A request to the server',
    examples: [
      { type: 'request', path: '/orders', query: { limit: 2 } },
      { type: 'request', method: 'POST', path: '/orders', body: { customer: 7 } },
    ],
  });

/** Any request. */
export const HttpRequest = z.discriminatedUnion('type', [TypedRequest]).meta({
  id: 'HttpRequest',
  description: 'A request to the server, by its type',
});
export type HttpRequest = z.infer<typeof HttpRequest>;

/** What a body depends on. */
interface Body {
  readonly method: Method;
  readonly body?: Json | undefined;
  readonly body_encoding?: 'json' | 'text' | 'base64' | 'none' | undefined;
}

/** Whether a method reads. */
export function modeOfMethod(method: Method): Mode {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

/** The header by which a server may take a request for one of another method. */
export function overrideIn({ headers = {} }: Pick<HttpRequest, 'headers'>): string | undefined {
  return Object.keys(headers).find(isMethodOverride);
}

/** Whether a request reads: by its method, and no header names another. */
export function modeOfRequest(request: Pick<HttpRequest, 'method' | 'headers'>): Mode {
  return overrideIn(request) === undefined ? modeOfMethod(request.method) : 'write';
}

function demandBody(request: Body, faults: z.RefinementCtx): void {
  const message = faultOfBody(request);
  if (message !== undefined) faults.addIssue({ code: 'custom', path: ['body'], message });
}

function faultOfBody({ method, body, body_encoding: encoding }: Body): string | undefined {
  if (body === undefined) {
    return encoding === undefined || encoding === 'none' ? undefined : 'is required';
  }
  // As the result of a request without a body has it.
  if (encoding === 'none') return body === null ? undefined : 'must be null, or left out';
  if (modeOfMethod(method) === 'read') return `is not for ${method}`;
  return faultOfForm(body, encoding);
}

function faultOfForm(body: Json, encoding: Body['body_encoding']): string | undefined {
  if (encoding === 'json') return undefined;
  if (encoding === 'text') return typeof body === 'string' ? faultOfText(body) : 'must be text';
  const isBase64 = typeof body === 'string' && encoding === 'base64';
  const base64 = isBase64 ? body : bytesIn(body);
  if (base64 === undefined) return encoding === undefined ? faultOfText(body) : 'must be base64';
  return isPaddedBase64(base64) ? undefined : 'must be base64 with its padding';
}

/** JSON escapes what text cannot hold. */
function faultOfText(body: Json): string | undefined {
  return typeof body !== 'string' || isText(body) ? undefined : HALF_A_PAIR;
}

function isText(text: string): boolean {
  return text.isWellFormed();
}

/** The base64 of a body that is `{"$bytes": base64}`. */
export function bytesIn(body: Json): string | undefined {
  if (!isJsonObject(body) || onlyNameOf(body) === undefined) return undefined;
  return typeof body.$bytes === 'string' ? body.$bytes : undefined;
}
