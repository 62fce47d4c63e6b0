/** The facade for clients of Upstash's REST protocol, such as @upstash/redis. Contract §1, §13. */
import * as z from 'zod';
import { JsonValue } from '../../../kinds/members.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Json } from '../../../proto/json.ts';
import type { PublicContext } from '../../context.ts';
import { OF_A_WRITE } from '../../drivers/errors.ts';
import { onEndpoint } from '../../endpoints/access.ts';
import { type AnyRoute, type Asking, route } from '../../route.ts';
import { runCommands } from './run.ts';

const EndpointParam = z.object({
  endpoint: z.string().meta({
    description: 'Id of the endpoint, or its UUID; it must be of kind Redis',
    examples: ['cache'],
  }),
});

const Word = z.union([z.string(), z.number(), z.boolean()]).meta({
  id: 'UpstashWord',
  description: 'A word of a command; a number or a truth value is sent as its text',
  examples: ['greeting'],
});

const Command = z
  .tuple([z.string().min(1).meta({ description: 'Name of the command' })])
  .rest(Word)
  .meta({
    id: 'UpstashCommand',
    description: 'The name of a command and its words',
    examples: [['SET', 'greeting', 'hello', 'EX', 3600]],
  });

const Commands = z
  .array(Command)
  .min(1)
  .meta({
    description: 'Of `pipeline` and `multi-exec`: commands, in their order',
    examples: [
      [
        ['SET', 'greeting', 'hello'],
        ['GET', 'greeting'],
      ],
    ],
  });

/** A reply as the vendor writes it; nothing reads it here. */
const Reply = z
  .union([
    z.object({ result: JsonValue.meta({ description: 'As RESP2 has it, in JSON' }) }),
    z.object({ error: z.string().meta({ description: "The server's own words" }) }),
  ])
  .meta({
    id: 'UpstashReply',
    description: 'What a command was answered, as it came from the server',
    examples: [{ result: 'OK' }],
  });

/** Of one command, or of many. */
const Replies = z.union([
  Reply,
  z.array(Reply).meta({
    description: 'Of a pipeline, or a transaction, in the order of the commands',
    examples: [[{ result: 'OK' }, { error: 'ERR value is not an integer or out of range' }]],
  }),
]);

/** What both routes are; the level is the least, each command may need more. */
const common = {
  tag: 'Requests',
  errors: OF_A_WRITE,
  access: onEndpoint('Read'),
  admit: refuseTokenInUrl,
  changes: 'backend',
  idempotency: 'ignored',
  // Whatever a command has after its body.
  query: z.record(z.string(), z.string()),
  streams: {
    'text/event-stream': z.string().meta({
      description: 'Of a subscription: `message,channel,text`',
      examples: ['message,chat,hello'],
    }),
  },
  reply: 'bare',
  result: Replies,
  handle: runCommands,
} satisfies Partial<AnyRoute>;

/** They are next to the API: `/upstash/{endpoint}` is the URL that a client is given. */
export const upstashRoutes: readonly AnyRoute[] = [
  route({
    ...common,
    method: ['POST', 'PUT'],
    path: '/upstash/:endpoint',
    facade: {
      action: 'upstash.run',
      errorBody: refusalBody,
      bodies: { 'application/json': Command },
    },
    summary: 'Run a command of Redis that is a JSON array',
    description:
      'The protocol of Upstash, as `@upstash/redis` speaks it with this URL and a token of this gateway. The reply is as it came from the server: with `Upstash-Encoding: base64` every string is in base64, with `Upstash-Response-Format: resp2` it is RESP2. A command that writes needs the level `Write`, one that acts on the whole server `Admin`.',
    params: EndpointParam,
  }),
  route({
    ...common,
    method: ['GET', 'POST', 'PUT'],
    path: '/upstash/:endpoint/:command{[\\s\\S]*}',
    facade: {
      action: 'upstash.command',
      errorBody: refusalBody,
      bodies: {
        'application/json': z.union([Commands, JsonValue]).meta({
          description: 'Many commands; of any other, its last word is the text of the JSON',
        }),
        'text/plain': z
          .string()
          .meta({ description: 'The last word of the command', examples: ['hello'] }),
      },
    },
    summary: 'Run a command of Redis that stands in the path, many commands, or subscribe',
    description:
      'The path is the command with its words, the body its last word; `pipeline` and `multi-exec` take an array of commands; `subscribe`, `psubscribe` and `monitor` answer server-sent events. What is said of a command that is a JSON array holds here, too.',
    params: EndpointParam.extend({
      command: z.string().meta({
        description: 'The name and words of a command, each after a slash and percent-encoded',
        examples: ['get'],
      }),
    }),
  }),
];

/** Names that clients of such protocols give a token in a query. */
const TOKEN_NAME = /^_?(?:(?:access|auth|bearer)[_-]?)?token$/i;

/**
 * Refuses a request whose query has a token, whatever its headers have.
 * @throws GatewayError TOKEN_REQUIRED
 */
async function refuseTokenInUrl(_ctx: PublicContext, { url }: Asking): Promise<void> {
  for (const name of new URL(url).searchParams.keys()) {
    if (!TOKEN_NAME.test(name)) continue;
    throw new GatewayError(
      'TOKEN_REQUIRED',
      `${name}: a token in the URL is not taken, send it as Authorization: Bearer`,
    );
  }
}

/** `{error: text}`: a command's own error in the server's words, `WRONGTYPE Operation…`; any other in ours. */
function refusalBody({ code, message, details }: GatewayError): Json {
  return { error: (code === 'REQUEST_FAILED' ? serversText(details) : undefined) ?? message };
}

function serversText(details: GatewayError['details']): string | undefined {
  for (const each of details) {
    if ('source' in each && each.source === 'redis' && typeof each.message === 'string') {
      return each.message;
    }
  }
  return undefined;
}
