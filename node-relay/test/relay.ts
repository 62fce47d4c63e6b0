/** A relay on a real socket for tests, and a stock Connect client that calls it as the gateway does. */
import { ConnectError, createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { afterEach } from 'vitest';
import type { ConnectionEnvelope } from '../../proto/driver.ts';
import { ErrorDetailSchema, RelayService } from '../../proto/gen/relay/v1/relay_pb.ts';
import { type Config, readConfig } from '../config.ts';
import type { Driver } from '../drivers/driver.ts';
import { createLog } from '../log.ts';
import { startRelay } from '../server.ts';
import { memoryDriver } from './memory-driver.ts';

export const ENDPOINT = '6b1f0f0e-5f7e-4a9c-8f8e-0d9a4c1b2a3d';
/** Is in every envelope, and may be in no output. */
export const PASSWORD = 'hunter2-correct-horse';

/** Keys of a gateway and a node, made once. */
export async function makeKeys() {
  const gateway = await generateKeyPair('EdDSA', { extractable: true });
  const node = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
  return {
    gatewayPrivate: gateway.privateKey,
    gatewayPublic: await exportJWK(gateway.publicKey),
    nodePrivate: await exportJWK(node.privateKey),
    nodePublic: await exportJWK(node.publicKey),
  };
}
export type Keys = Awaited<ReturnType<typeof makeKeys>>;

/** A call token as the gateway signs it. */
export function callToken(
  keys: Keys,
  audience: string,
  { issuedMs = Date.now(), lifeS = 60 }: { issuedMs?: number; lifeS?: number } = {},
): Promise<string> {
  return new SignJWT({ iat: issuedMs / 1000, exp: issuedMs / 1000 + lifeS })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setAudience(audience)
    .sign(keys.gatewayPrivate);
}

/** A connection sealed to a node. */
export async function seal(nodePublic: JWK, envelope: Partial<ConnectionEnvelope> = {}) {
  const whole = {
    connection: { url: `postgresql://app:${PASSWORD}@db.example/app` },
    settings: {},
    ...envelope,
  };
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(whole)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(await importJWK(nodePublic, 'ECDH-ES'));
}

/** Settings of a relay with the keys, on any free port. */
export function configOf(keys: Keys, env: Record<string, string> = {}): Config {
  const config = readConfig(['--port', '0'], {
    RELAY_NODE_KEY: JSON.stringify(keys.nodePrivate),
    GATEWAY_PUBLIC_KEY: JSON.stringify(keys.gatewayPublic),
    ...env,
  });
  if (config === undefined) throw new Error('help was asked for');
  return config;
}

/** A relay, its stock client, its log, and what its backend saw. */
export async function startTestRelay({
  driver: given,
  drainMaxMs = 2000,
  env = {},
}: {
  driver?: Driver;
  drainMaxMs?: number;
  env?: Record<string, string>;
} = {}) {
  const keys = await makeKeys();
  const { driver, seen } = memoryDriver();
  const lines: string[] = [];
  const relay = await startRelay(configOf(keys, env), {
    drivers: { postgres: given ?? driver },
    log: createLog({ logFormat: 'json', logLevel: 'debug' }, { write: (line) => lines.push(line) }),
    version: '1.2.3',
    drainMaxMs,
  });
  const baseUrl = `http://127.0.0.1:${relay.port}`;
  const token = await callToken(keys, relay.nodeId);
  return {
    relay,
    keys,
    seen,
    lines,
    baseUrl,
    client: clientOf(baseUrl, token),
    sealed: await seal(keys.nodePublic),
  };
}
export type TestRelay = Awaited<ReturnType<typeof startTestRelay>>;

/** Starts relays that stop after the test that has started them. */
export function relaysOfTests(): typeof startTestRelay {
  const nodes: TestRelay[] = [];
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map(({ relay }) => relay.drain()));
  });
  return async (options) => {
    const node = await startTestRelay(options);
    nodes.push(node);
    return node;
  };
}

/** The stock client with a call token. @param socketPath of a Unix socket that is used instead of the URL's host */
export function clientOf(baseUrl: string, token: string, socketPath?: string) {
  const authorize: Interceptor = (next) => (request) => {
    if (token !== '') request.header.set('Authorization', `Bearer ${token}`);
    if (!request.header.has('X-Request-Id')) request.header.set('X-Request-Id', 'request-1');
    return next(request);
  };
  return createClient(
    RelayService,
    createConnectTransport({
      baseUrl,
      httpVersion: '1.1',
      interceptors: [authorize],
      nodeOptions: socketPath === undefined ? {} : { socketPath },
    }),
  );
}

/** A target of the test's endpoint. */
export function targetOf(
  mode: 'read' | 'write',
  { revision = 1, endpoint = ENDPOINT, ...more }: Partial<TargetOptions> = {},
) {
  const poolKey = `${endpoint}:${revision}:${mode}:production`;
  return { kind: 'postgres', endpoint, poolKey, mode, profile: 'production', ...more };
}
interface TargetOptions {
  revision: number;
  endpoint: string;
  sealedConnection: string;
  caps: { total: number };
}

/** A request's bytes. */
export function query(text: string, type = 'query', params?: unknown[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ type, query: text, params }));
}

/** What a failed call told. */
export async function failureOf(call: Promise<unknown>) {
  const error = await call.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectError)) throw error;
  const [detail] = error.findDetails(ErrorDetailSchema);
  return {
    connect: error.code,
    message: error.rawMessage,
    code: detail?.code,
    details: detail?.details ? (JSON.parse(detail.details) as unknown) : [],
  };
}

/** A result as text. */
export function utf8Of(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
