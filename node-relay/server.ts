/** The relay's HTTP server: Connect's routes, health, metrics, and the orderly stop. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../proto/errors.ts';
import { RelayService } from '../proto/gen/relay/v1/relay_pb.ts';
import { nodeUuid } from '../proto/node-id.ts';
import { Admission } from './admission.ts';
import { Calls } from './calls.ts';
import type { Config } from './config.ts';
import { connectRoutes } from './connect-routes.ts';
import { Connections } from './connections.ts';
import { Dialer } from './dial.ts';
import type { Driver } from './drivers/driver.ts';
import { describeFault, type Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { portsIn } from './own-ports.ts';
import { Pools } from './pools.ts';
import { Results } from './results.ts';
import { handleRun, isPlainRun, type RunHandlerParts } from './run-handler.ts';
import { Seals } from './seals.ts';
import { relayService, type ServiceParts } from './service.ts';
import { Sessions } from './sessions.ts';

/** Largest message from the gateway, in bytes. Spec silent. */
const MESSAGE_MAX_BYTES = 64 * 1024 * 1024;
/** A connection of the gateway is kept so many milliseconds, longer than the gateway keeps one. Spec silent. */
const KEEP_ALIVE_MS = 600_000;
/** Calls in flight may take so many milliseconds once the node stops. Spec silent. */
const DRAIN_MAX_MS = 25_000;
/** Backends may take so many milliseconds more to roll back what was ended. Spec silent. */
const CLOSE_MAX_MS = 3_000;
/** How often a stop looks whether calls are still in flight, in milliseconds. */
const DRAIN_LOOK_MS = 20;

/** What a relay is made of beside its settings. */
export interface RelayOptions {
  readonly drivers: Readonly<Record<string, Driver>>;
  readonly log: Log;
  readonly version: string;
  /** See `DRAIN_MAX_MS`. */
  readonly drainMaxMs?: number;
}

/** A relay that listens. */
export interface Relay {
  readonly port: number;
  /** UUID of the node. */
  readonly nodeId: string;
  /** Refuses new calls, finishes those in flight, ends sessions and pools, then stops listening. */
  drain(): Promise<void>;
}

interface Parts extends ServiceParts {
  readonly metrics: Metrics;
}

/** Starts a relay. @throws GatewayError INVALID_CONFIGURATION when it cannot listen */
export async function startRelay(config: Config, options: RelayOptions): Promise<Relay> {
  let ownPort: number | undefined;
  const parts = await assemble(config, options, () => ownPort);
  const server = serverFor(config, requestListener(parts));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  ownPort = await listen(server, config);
  return {
    port: ownPort,
    nodeId: parts.node.id,
    async drain() {
      await drain(parts, options.drainMaxMs ?? DRAIN_MAX_MS);
      server.close();
      server.closeAllConnections();
    },
  };
}

async function assemble(
  config: Config,
  { drivers, log, version }: RelayOptions,
  ownPort: () => number | undefined,
): Promise<Parts> {
  const { kty, crv, x, y } = config.nodeKey;
  const node = { id: await nodeUuid({ kty, crv, x, y }), version, startedMs: Date.now() };
  const onFault = (cause: unknown): void =>
    log.warn({ fault: describeFault(cause) ?? { name: 'GatewayError' } }, 'closing failed');
  const { allow, httpAllow, gateway, ownPortsFile } = config;
  const gatewayPorts =
    ownPortsFile === undefined ? {} : { gatewayPorts: () => portsIn(ownPortsFile) };
  const own = { gateway, ownPort, ...gatewayPorts };
  const dialer = new Dialer({ allow, ...own });
  const httpDialer = new Dialer({ allow: httpAllow, ...own });
  const connections = new Connections(config.nodeKey);
  const seals = new Seals(config.nodeKey);
  const pools = new Pools({ drivers, connections, dialer, httpDialer, seals, onFault });
  const sessions = new Sessions(onFault);
  const results = new Results();
  const metrics = new Metrics(() => ({
    pools: pools.size,
    connections: pools.connections,
    waiting: pools.waiting,
    sessions: sessions.size,
    keptBytes: results.bytes,
    callsInFlight: calls.inFlight,
  }));
  const admission = new Admission({
    gatewayKeys: config.gatewayKeys,
    nodeId: node.id,
    startedMs: node.startedMs,
    onVerify: () => metrics.verifications.inc(),
  });
  const calls = new Calls({ admission, log, metrics });
  return { calls, pools, sessions, results, node, metrics };
}

/** Health and metrics need no token, and tell nothing of any organization. */
function requestListener(parts: Parts): RequestListener {
  const service = relayService(parts);
  const run: RunHandlerParts = {
    admit: (authorization) => parts.calls.admit('Run', authorization),
    run: service.run,
    messageMaxBytes: MESSAGE_MAX_BYTES,
  };
  const connect = connectRoutes(
    {
      requestGate: ({ method, requestHeader }) =>
        parts.calls.admit(method.name, requestHeader.get('authorization')),
      grpc: false,
      grpcWeb: false,
      readMaxBytes: MESSAGE_MAX_BYTES,
    },
    (router) => router.service(RelayService, service),
  );
  return (request, response) => {
    if (isPlainRun(request)) void handleRun(run, request, response);
    else if (request.url === '/healthz') answerHealth(parts, response);
    else if (request.url === '/metrics') answerMetrics(parts, response);
    else void connect(request, response);
  };
}

function answerHealth({ calls }: Parts, response: ServerResponse): void {
  response.writeHead(calls.draining ? 503 : 200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ status: calls.draining ? 'draining' : 'ok' }));
}

function answerMetrics({ metrics }: Parts, response: ServerResponse): void {
  metrics.text().then(
    (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
    () => response.writeHead(500).end(),
  );
}

function serverFor({ tls }: Config, handle: RequestListener): Server {
  if (tls === undefined) return createServer(handle);
  const { cert, key, clientCa } = tls;
  if (clientCa === undefined) return createTlsServer({ cert, key }, handle);
  return createTlsServer(
    { cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: true },
    handle,
  );
}

function listen(server: Server, { port, host }: Config): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('error', (cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'EADDRINUSE' ? 'is in use' : 'cannot be listened on';
    reject(new GatewayError('INVALID_CONFIGURATION', `Port ${port} on ${host} ${why}`, { cause }));
  });
  server.listen(port, host, () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : port);
  });
  return promise;
}

async function drain({ calls, pools, sessions, results }: Parts, maxMs: number): Promise<void> {
  calls.drain();
  const busy = (): boolean => calls.inFlight > 0 || results.bytes > 0;
  await until(() => !busy(), maxMs);
  calls.abort();
  results.clear();
  await until(() => calls.inFlight === 0, CLOSE_MAX_MS);
  const closed = sessions.closeAll().then(() => pools.close());
  await Promise.race([closed, sleep(CLOSE_MAX_MS)]);
}

async function until(holds: () => boolean, maxMs: number): Promise<void> {
  const end = performance.now() + maxMs;
  while (!holds() && performance.now() < end) await sleep(DRAIN_LOOK_MS);
}
