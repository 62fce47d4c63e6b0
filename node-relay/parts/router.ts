/** What the relay's own port answers: each request goes to the part that serves it. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { forward, refuse } from './forward.ts';
import { keyOf, socketOf } from './places.ts';
import type { Supervisor } from './supervisor.ts';

/** Any part answers for all of them. */
const OF_ALL = '/relay.v1.RelayService/Status';

/** Health and metrics need no token, and tell nothing of any organization; tokens are for the parts to check. */
export function routeTo(supervisor: Supervisor): RequestListener {
  return (request, response) => {
    if (request.url === '/healthz') answerHealth(supervisor, response);
    else if (request.url === '/metrics') answerMetrics(supervisor, response);
    else pass(supervisor, request, response);
  };
}

/** Calls that do not say whose they are, of gateways that know no parts, share the first. */
function pass(supervisor: Supervisor, request: IncomingMessage, response: ServerResponse): void {
  const { places, anySocket } = supervisor;
  const key = keyOf(request);
  const unnamed = request.url === OF_ALL ? anySocket : places.shared[0];
  const socket = key === undefined ? unnamed : socketOf(places, key);
  if (socket === undefined) refuse(request, response);
  else forward(request, response, socket);
}

function answerHealth({ draining, ready }: Supervisor, response: ServerResponse): void {
  const status = draining ? 'draining' : ready ? 'ok' : 'starting';
  response.writeHead(status === 'ok' ? 200 : 503, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ status }));
}

function answerMetrics(supervisor: Supervisor, response: ServerResponse): void {
  supervisor.metrics().then(
    ({ type, text }) => response.writeHead(200, { 'Content-Type': type }).end(text),
    () => response.writeHead(500).end(),
  );
}
