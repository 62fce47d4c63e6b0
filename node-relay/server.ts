/** The relay's HTTP server: Connect's routes, health, metrics, and the orderly stop. */
import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayService } from '../proto/gen/relay/v1/relay_pb.ts';
import { nodeUuid } from '../proto/node-id.ts';
import { Admission } from './admission.ts';
import { Calls } from './calls.ts';
import { COLLECT_PATH, handleCollect } from './collect.ts';
import { type Config, type KeyConfig, nodeKeysOf } from './config.ts';
import { connectRoutes } from './connect-routes.ts';
import { Connections } from './connections.ts';
import { Dialer } from './dial.ts';
import type { Driver } from './drivers/driver.ts';
import { LeaseRegistry } from './leases.ts';
import { closeServer, listen, serverFor } from './listen.ts';
import { describeFault, type Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { mayReadMetrics } from './metrics-access.ts';
import { portsIn } from './own-ports.ts';
import type { InFlight } from './parts/in-flight.ts';
import type { Figures as PartFigures } from './parts/messages.ts';
import { Pools } from './pools.ts';
import { Results } from './results.ts';
import { Seals } from './seals.ts';
import { relayService, type ServiceParts } from './service.ts';
import type { Tracing } from './tracing.ts';
import { handleUnary, isPlainUnary, type UnaryParts, unaryMethods } from './unary-handler.ts';

/** Largest message from the gateway, in bytes. Spec silent. */
const MESSAGE_MAX_BYTES = 64 * 1024 * 1024;
/** Milliseconds more that backends may take to roll back what was ended. Spec silent. */
const CLOSE_MAX_MS = 3_000;
/** How often a stop looks whether calls are still in flight, in milliseconds. */
const DRAIN_LOOK_MS = 20;

/** What a relay is made of besides its settings. */
interface RelayOptions {
  readonly drivers: Readonly<Record<string, Driver>>;
  readonly log: Log;
  readonly version: string;
  /** Instead of the setting `DRAIN_S`. */
  readonly drainMaxMs?: number;
  /** Of a relay that is a part of one. */
  readonly part?: PartOptions;
  /** Where calls are traced. */
  readonly tracing?: Tracing | undefined;
}

/** What a part knows about the whole relay. */
interface PartOptions {
  /** Start of the whole: Unix epoch milliseconds. Call tokens of before are refused. */
  readonly startedMs: number;
  readonly inFlight: Pick<InFlight, 'enter' | 'leave'>;
  /** What all parts have together. */
  figures(): Promise<PartFigures>;
}

/** A relay that does not listen by itself. */
export interface UnboundRelay {
  /** UUID of the node. */
  readonly nodeId: string;
  readonly handle: RequestListener;
  readonly metrics: Metrics;
  figures(): PartFigures;
  /** Takes the gateway's clock, and its keys where they are told. */
  follow: Admission['follow'];
  /** Ends the calls of one organization, so that memory becomes free. */
  shed(): void;
  /** Uses these keys from now on; its UUID stays. */
  use(keys: KeyConfig): Promise<void>;
  /** Refuses new calls, finishes those in flight, then ends sessions and pools. */
  drain(): Promise<void>;
}

/** A relay that listens. */
interface Relay {
  readonly port: number;
  /** UUID of the node. */
  readonly nodeId: string;
  /** Refuses new calls, finishes those in flight, ends sessions and pools, then stops listening. */
  drain(): Promise<void>;
}

interface Parts extends ServiceParts {
  readonly metrics: Metrics;
  readonly admission: Admission;
  use(keys: KeyConfig): Promise<void>;
}

/** Starts a relay. @throws GatewayError INVALID_CONFIGURATION when it cannot listen */
export async function startRelay(config: Config, options: RelayOptions): Promise<Relay> {
  let ownPort: number | undefined;
  const made = await makeRelay(config, options, () => ownPort);
  const server = serverFor(config, made.handle);
  ownPort = await listen(server, config);
  return {
    port: ownPort,
    nodeId: made.nodeId,
    async drain() {
      await made.drain();
      closeServer(server);
    },
  };
}

/** Makes a relay that answers requests which others receive. */
export async function makeRelay(
  config: Config,
  options: RelayOptions,
  ownPort: () => number | undefined,
): Promise<UnboundRelay> {
  const parts = await assemble(config, options, ownPort);
  const { calls, pools, leases } = parts;
  return {
    nodeId: parts.node.id,
    handle: requestListener(parts, config),
    metrics: parts.metrics,
    figures: () => ({
      pools: pools.size,
      connections: pools.connections,
      sessions: leases.size,
      callsInFlight: calls.inFlight,
    }),
    follow(clockOffsetMs, gatewayKeys) {
      parts.admission.follow(clockOffsetMs, gatewayKeys);
      if (gatewayKeys !== undefined) void parts.metrics.tellKeys({ ...config, gatewayKeys });
    },
    shed: () => calls.shed(),
    use: parts.use,
    async drain() {
      await drain(parts, options.drainMaxMs ?? config.drainMs);
      await options.tracing?.stop();
    },
  };
}

async function assemble(
  config: Config,
  { drivers, log, version, part, tracing }: RelayOptions,
  ownPort: () => number | undefined,
): Promise<Parts> {
  const { d: _secret, ...publicKey } = config.nodeKey;
  const node = {
    id: config.nodeId ?? (await nodeUuid(publicKey)),
    instance: config.instance,
    version,
    startedMs: part?.startedMs ?? Date.now(),
  };
  const onFault = (cause: unknown): void =>
    log.warn({ fault: describeFault(cause) ?? { name: 'GatewayError' } }, 'closing failed');
  const { allow, httpAllow, gateway, ownPortsFile } = config;
  const gatewayPorts =
    ownPortsFile === undefined ? {} : { gatewayPorts: () => portsIn(ownPortsFile) };
  const own = { gateway, ownPort, ...gatewayPorts };
  const dialer = new Dialer({ allow, setting: 'RELAY_ALLOW', ...own });
  const httpDialer = new Dialer({ allow: httpAllow, setting: 'HTTP_ALLOW_PRIVATE', ...own });
  const connections = new Connections(nodeKeysOf(config));
  const seals = new Seals(nodeKeysOf(config));
  const queues = (kind: string) => metrics.queues(kind);
  const pools = new Pools({ drivers, connections, dialer, httpDialer, seals, onFault, queues });
  const leases = new LeaseRegistry(onFault);
  const results = new Results();
  const metrics = new Metrics(() => ({
    pools: pools.size,
    connections: pools.connections,
    queued: pools.queued,
    sessions: leases.size,
    keptBytes: results.bytes,
    callsInFlight: calls.inFlight,
  }));
  const admission = new Admission({
    gatewayKeys: config.gatewayKeys,
    nodeId: node.id,
    startedMs: node.startedMs,
    clockOffsetMs: config.clockOffsetMs,
    onVerify: () => metrics.verifications.inc(),
  });
  const inFlight = part?.inFlight;
  const calls = new Calls({
    ...{ admission, log, metrics },
    ...(inFlight && { inFlight }),
    ...(tracing && { tracing }),
  });
  const ofAll = part?.figures;
  await metrics.tellKeys(config);
  const use = async (keys: KeyConfig): Promise<void> => {
    admission.use(keys.gatewayKeys);
    connections.use(nodeKeysOf(keys));
    seals.use(nodeKeysOf(keys));
    await metrics.tellKeys(keys);
  };
  return {
    calls,
    pools,
    leases,
    results,
    node,
    metrics,
    admission,
    use,
    ...(ofAll && { ofAll }),
  };
}

/** Health needs no token; neither it nor metrics tell anything of any organization. */
function requestListener(parts: Parts, config: Config): RequestListener {
  const service = relayService(parts);
  const methods = unaryMethods(service);
  const unary: UnaryParts = {
    admit: (method, authorization) => parts.calls.admit(method, authorization),
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
  const plain = (url: string) => {
    const method = methods.get(url);
    if (method) return handleUnary.bind(undefined, unary, method);
    return url === COLLECT_PATH ? handleCollect.bind(undefined, unary, parts) : undefined;
  };
  return (request, response) => {
    const serve = isPlainUnary(request) ? plain(request.url ?? '') : undefined;
    if (serve) void serve(request, response);
    else if (request.url === '/healthz') answerHealth(parts, response);
    else if (request.url === '/metrics') {
      if (mayReadMetrics(config, request, response)) answerMetrics(parts, response);
    } else void connect(request, response);
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

async function drain({ calls, pools, leases, results }: Parts, maxMs: number): Promise<void> {
  calls.drain();
  const busy = (): boolean => calls.inFlight > 0 || results.bytes > 0;
  await until(() => !busy(), maxMs);
  calls.abort();
  results.clear();
  await until(() => calls.inFlight === 0, CLOSE_MAX_MS);
  const closed = leases.closeAll().then(() => pools.close());
  await Promise.race([closed, sleep(CLOSE_MAX_MS)]);
}

async function until(holds: () => boolean, maxMs: number): Promise<void> {
  const end = performance.now() + maxMs;
  while (!holds() && performance.now() < end) await sleep(DRAIN_LOOK_MS);
}
