/** What the relay's own port answers: each request goes to the part that serves it. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HEALTH_PATH, INSTANCE_HEADER } from '../../proto/node-health.ts';
import type { Config } from '../config.ts';
import { mayReadMetrics } from '../metrics-access.ts';
import { forward, refuseCall } from './forward.ts';
import { keyOf, socketOf } from './places.ts';
import type { HttpReply } from './refusal.ts';
import type { Supervisor } from './supervisor.ts';

/** Any part answers for all of them. */
const OF_ALL = '/relay.v1.RelayService/Status';

/** Neither health nor metrics tell anything of any organization; tokens of calls are for the parts to check. */
export function routeTo(
  supervisor: Supervisor,
  config: Pick<Config, 'metricsToken' | 'host' | 'instance'>,
): RequestListener {
  return (request, response) => {
    if (request.url === HEALTH_PATH) answerHealth(healthOf(supervisor, config), response);
    else if (request.url === '/metrics') {
      if (mayReadMetrics(config, request, response)) answerMetrics(supervisor, response);
    } else pass(supervisor, request, response);
  };
}

function pass(supervisor: Supervisor, request: IncomingMessage, response: ServerResponse): void {
  const socket = socketFor(supervisor, request.url ?? '', request);
  if (socket === undefined) refuseCall(request, response);
  else forward(request, response, socket);
}

/**
 * Path of the socket of the part that takes a call. Calls that do not say whose they are, of
 * gateways that know no parts, share the first.
 */
export function socketFor(
  { places, anySocket }: Pick<Supervisor, 'places' | 'anySocket'>,
  path: string,
  call: Parameters<typeof keyOf>[0],
): string | undefined {
  const key = keyOf(call);
  if (key !== undefined) return socketOf(places, key);
  return path === OF_ALL ? anySocket : places.shared[0];
}

/** Whether the relay takes calls, as a reply without a token says it. */
export function healthOf(
  { draining, ready, node }: Pick<Supervisor, 'draining' | 'ready' | 'node'>,
  { instance }: Pick<Config, 'instance'>,
): HttpReply {
  const status = draining ? 'draining' : ready ? 'ok' : 'starting';
  const named = instance || node;
  return {
    status: status === 'ok' ? 200 : 503,
    headers: {
      'content-type': 'application/json',
      // Of a process that is gone it would say that it is there.
      'cache-control': 'no-store',
      ...(named !== '' && { [INSTANCE_HEADER.toLowerCase()]: named }),
    },
    body: Buffer.from(JSON.stringify({ status })),
  };
}

function answerHealth({ status, headers, body }: HttpReply, response: ServerResponse): void {
  response.writeHead(status, { ...headers }).end(body);
}

function answerMetrics(supervisor: Supervisor, response: ServerResponse): void {
  supervisor.metrics().then(
    ({ type, text }) => response.writeHead(200, { 'Content-Type': type }).end(text),
    () => response.writeHead(500).end(),
  );
}
