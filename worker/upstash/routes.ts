/** The facade for clients of Upstash's REST protocol, such as @upstash/redis. Contract §1, §13. */
import * as z from 'zod';
import { OF_A_WRITE } from '../drivers/errors.ts';
import { onEndpoint } from '../endpoints/access.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { refusalBody } from './refusal.ts';
import { runCommands } from './run.ts';
import { refuseTokenInUrl } from './token.ts';

const EndpointParam = z.object({ endpoint: z.string() });

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
  facade: { action: 'upstash.run', errorBody: refusalBody },
  reply: 'bare',
  result: z.unknown(),
  handle: runCommands,
} satisfies Partial<AnyRoute>;

/** They stand beside the API: `/upstash/{endpoint}` is the URL that a client is given. */
export const upstashRoutes: readonly AnyRoute[] = [
  route({
    ...common,
    method: ['POST', 'PUT'],
    path: '/upstash/:endpoint',
    summary: 'Run a command of Redis that is a JSON array',
    description: 'As `@upstash/redis` sends it; the reply is as it came from the server.',
    params: EndpointParam,
  }),
  route({
    ...common,
    method: ['GET', 'POST', 'PUT'],
    path: '/upstash/:endpoint/:command{.*}',
    summary: 'Run a command of Redis that stands in the path, many commands, or subscribe',
    description:
      'The path is the command with its words, the body its last word; `pipeline` and `multi-exec` take an array of commands; `subscribe`, `psubscribe` and `monitor` answer server-sent events.',
    params: EndpointParam.extend({ command: z.string() }),
  }),
];
