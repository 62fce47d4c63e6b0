/** What clients of an http endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../../kind.ts';
import { JsonValue, patchOf } from '../../members.ts';
import { HttpConfig } from '../config.ts';
import { BareHttpRequest, TypedRequest } from '../request.ts';
import { BODY_ENCODINGS } from '../result.ts';

const Result = z
  .object({
    status: z.int().meta({
      description: 'Of the reply, whatever it is: 404 is a result, too',
      examples: [200],
    }),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
      description:
        'By names in lower case, several of one name joined by a comma; `set-cookie` is a list',
      examples: [{ 'content-type': 'application/json' }],
    }),
    body: JsonValue.meta({
      description:
        'Of a JSON media type as JSON with all its digits, else text where it is UTF-8, else base64; null when there is none',
      examples: [{ id: 7, total: 19.9 }],
    }),
    body_encoding: z
      .enum(BODY_ENCODINGS)
      .meta({ description: 'How `body` is to be read', examples: ['json'] }),
  })
  .meta({
    id: 'HttpResult',
    description: 'What the server answered',
    examples: [
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { id: 7, total: 19.9 },
        body_encoding: 'json',
      },
    ],
  });

/** Every form of a request, and of what it answers. Contract §6. */
export const shapes: KindShapes = {
  configPatch: patchOf(HttpConfig).meta({
    id: 'HttpConfigPatch',
    description: 'Changes of the configuration of an http endpoint',
    examples: [{ write_conn: { url: 'https://api.example.com/v2' } }],
  }),
  body: z
    .union([
      TypedRequest,
      BareHttpRequest,
      z
        .strictObject({
          request: z
            .union([TypedRequest, BareHttpRequest])
            .meta({ description: 'The request itself' }),
        })
        .meta({
          id: 'HttpWrappedRequest',
          description: 'A request in a member of its own',
          examples: [{ request: { path: '/orders' } }],
        }),
    ])
    .meta({
      id: 'HttpRequestBody',
      description: 'A request to an http endpoint, in any of its forms',
    }),
  results: [Result],
};
