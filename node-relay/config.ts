/** The relay's settings; nothing else reads its environment or flags. Contract §11. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { JWK } from 'jose';
import * as z from 'zod';
import { GatewayError } from '../proto/errors.ts';
import { flagFault } from '../proto/flags.ts';
import { type AllowList, parseAllowList } from './allow-list.ts';
import type { Listener } from './dial.ts';
import { withKeysFile } from './keys-file.ts';
import { LOG_LEVELS, type LogOptions } from './log.ts';
import { readLogFormat } from './log-format.ts';
import { CLOCK_OFFSET_MS, NODE_ID, NODE_INSTANCE } from './node/environment.ts';
import { readDrainMs, readPartSettings } from './part-settings.ts';
import { readTracesTo, type TracesTo } from './trace-settings.ts';

/** Settings of one relay. */
export interface Config extends LogOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** UUID of the node, where it is a registered one; of a default node its key makes it. */
  readonly nodeId: string | undefined;
  /** The process that is the node; empty of a default node. */
  readonly instance: string;
  /** Milliseconds by which this machine's clock is ahead of the gateway's, as far as is known at the start. */
  readonly clockOffsetMs: number;
  /** Private key that connections are sealed to. */
  readonly nodeKey: JWK & NodeKey;
  /** The key before it, while both are in use. */
  readonly previousNodeKey: (JWK & NodeKey) | undefined;
  /** Public keys that call tokens are signed with. */
  readonly gatewayKeys: readonly JWK[];
  readonly allow: AllowList;
  /** Instead of `allow` for kinds `http` and `pinecone`, whose callers name paths and follow redirects. */
  readonly httpAllow: AllowList;
  /** Where the gateway listens; never a backend. */
  readonly gateway: Listener | undefined;
  /** File in which the gateway next to it reports its ports; the scripts of the project set it. */
  readonly ownPortsFile: string | undefined;
  readonly tls: TlsFiles | undefined;
  /** Who has it may read the metrics. */
  readonly metricsToken: string | undefined;
  /** Undefined where calls are not traced. */
  readonly tracesTo: TracesTo | undefined;
  /** Milliseconds that a stop waits for what is in flight. */
  readonly drainMs: number;
  /** Processes that share the calls of all organizations. */
  readonly parts: number;
  /** Bytes of memory beyond which one of them is ended. */
  readonly partMemoryBytes: number;
  /** Loaded processes that wait for a part to die. */
  readonly standIns: number;
  /** Folder of the parts' sockets; one of its own by default. The scripts of the project set it. */
  readonly socketFolder: string | undefined;
}

/** The settings that hold keys. */
export type KeyConfig = Pick<Config, 'nodeKey' | 'previousNodeKey' | 'gatewayKeys'>;

/** The node's keys, the current one first. */
export function nodeKeysOf({
  nodeKey,
  previousNodeKey,
}: KeyConfig): [JWK & NodeKey, ...(JWK & NodeKey)[]] {
  return previousNodeKey === undefined ? [nodeKey] : [nodeKey, previousNodeKey];
}

/** Contents of the files of TLS; with `clientCa`, callers must show a certificate of it. */
interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly clientCa: Buffer | undefined;
}

/** Printed by `--help`. */
export const HELP = `Causeway relay: holds the connections to databases, beside them.

Usage: npm run relay -- [--port N] [--host ADDRESS] [--gateway URL] [--log FORMAT]
       npm run relay -- --gateway URL --enroll SECRET [--tunnel] [--data DIR] [--port N]

The second form makes the relay a node of an organization, whose secret \`POST /nodes\` answers. It makes keys of its
own and keeps them in its data folder; started there again, it needs no flag.

Flag        Setting               Meaning
--port      RELAY_PORT            port to listen on, 0 for any (8788)
--host      RELAY_HOST            address to listen on (127.0.0.1)
--gateway   GATEWAY_URL           the gateway's own address, never dialled as a backend; a node reports to it
--enroll                          the secret of a node; used once
--tunnel                          listen on no port: the node was registered without a URL
--data                            folder of a node's keys and of what it was told (.causeway-relay)
--log       LOG_FORMAT            json, pretty, or auto: pretty on a terminal, else json (auto)
--help                            this text
            RELAY_NODE_KEY        private key of this node: JWK, EC P-256 (required)
            RELAY_NODE_KEY_PREVIOUS
                                  the key before it, which then opens connections, too
            GATEWAY_PUBLIC_KEY    the gateway's public key: JWK, Ed25519, or an array of them (required)
            RELAY_SIGNING_KEY     private key that a node signs with: JWK, Ed25519; with RELAY_NODE_KEY and --gateway
                                  in place of --enroll, for a node that was registered with its public keys
            RELAY_ORGANIZATION    UUID of the organization whose node it is: refuses to be another's
            RELAY_KEYS_FILE       file with the keys as lines NAME='value'; a change of it needs no new start
            RELAY_ALLOW           beside public addresses: CIDRs, hosts, host:port by comma; * for all
                                  (a node of an organization: *)
            HTTP_ALLOW_PRIVATE    true: http and pinecone endpoints may reach private addresses (false)
            RELAY_TLS_CERT        file of the certificate; turns TLS on
            RELAY_TLS_KEY         file of its private key
            RELAY_TLS_CLIENT_CA   file of the authority whose client certificates are required
            RELAY_PARTS           processes that share the calls, by organization (one per core, at least 2)
            RELAY_PART_MEMORY_MB  a process that holds more is ended and started again
                                  (half of the machine's memory shared by them, 256 to 2048)
            RELAY_STAND_INS       loaded processes that wait for one that dies, 0 to 8 (2)
            METRICS_TOKEN         bearer token that reads /metrics; without it, only a relay on loopback shows them
            OTEL_EXPORTER_OTLP_ENDPOINT
                                  where its part of the gateway's traces goes (nowhere); OTEL_EXPORTER_OTLP_HEADERS,
                                  OTEL_SERVICE_NAME (causeway-relay) and OTEL_RESOURCE_ATTRIBUTES beside it
            LOG_LEVEL             debug, info, warn or error; debug has a line for each call (info)
            DRAIN_S               seconds that a stop waits for what is in flight (30)
`;

const NodeKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
  kid: z.string().exactOptional(),
});
type NodeKey = z.infer<typeof NodeKey>;
const NODE_KEY_FORM = 'a private JWK, EC P-256';

const GatewayKey = z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() });
const GatewayKeys = z.union([
  GatewayKey.transform((key) => [key]),
  z.array(GatewayKey).min(1).max(10),
]);

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

/**
 * Settings from flags and environment, flags first; undefined when help was asked for.
 * @throws GatewayError INVALID_CONFIGURATION with one sentence for the operator
 */
export function readConfig(args: string[], given: NodeJS.ProcessEnv): Config | undefined {
  const flags = readFlags(args);
  return flags.help === true ? undefined : configOf(flags, given);
}

/** The same of flags that were read. @throws GatewayError INVALID_CONFIGURATION */
export function configOf(flags: Flags, given: NodeJS.ProcessEnv): Config {
  const env = withKeysFile(given);
  return {
    port: port(flags.port ?? env.RELAY_PORT ?? '8788'),
    host: flags.host ?? env.RELAY_HOST ?? '127.0.0.1',
    nodeId: env[NODE_ID] || undefined,
    instance: env[NODE_INSTANCE] ?? '',
    clockOffsetMs: Number(env[CLOCK_OFFSET_MS] ?? 0),
    nodeKey: jwk('RELAY_NODE_KEY', NODE_KEY_FORM, NodeKey, env.RELAY_NODE_KEY),
    previousNodeKey: env.RELAY_NODE_KEY_PREVIOUS
      ? jwk('RELAY_NODE_KEY_PREVIOUS', NODE_KEY_FORM, NodeKey, env.RELAY_NODE_KEY_PREVIOUS)
      : undefined,
    gatewayKeys: jwk(
      'GATEWAY_PUBLIC_KEY',
      'a public JWK, Ed25519, or an array of them',
      GatewayKeys,
      env.GATEWAY_PUBLIC_KEY,
    ),
    allow: parseAllowList(env.RELAY_ALLOW ?? ''),
    httpAllow: parseAllowList(isTrue('HTTP_ALLOW_PRIVATE', env) ? '*' : ''),
    gateway: listener(flags.gateway ?? env.GATEWAY_URL ?? ''),
    ownPortsFile: env.OWN_PORTS_FILE || undefined,
    tls: tlsFiles(env),
    metricsToken: env.METRICS_TOKEN || undefined,
    tracesTo: readTracesTo(env),
    ...logOptionsOf(flags, env),
    drainMs: readDrainMs(env),
    ...readPartSettings(env),
    socketFolder: env.RELAY_SOCKETS || undefined,
  };
}

/** How the relay logs. @throws GatewayError INVALID_CONFIGURATION */
export function logOptionsOf({ log }: Flags, env: NodeJS.ProcessEnv): LogOptions {
  return {
    logFormat: readLogFormat(log ?? env.LOG_FORMAT, process.stdout.isTTY),
    logLevel: logLevel(env.LOG_LEVEL || 'info'),
  };
}

/** What the flags say. */
export type Flags = ReturnType<typeof readFlags>;

const FLAGS = {
  port: { type: 'string' },
  host: { type: 'string' },
  gateway: { type: 'string' },
  enroll: { type: 'string' },
  data: { type: 'string' },
  tunnel: { type: 'boolean' },
  log: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** The flags, as they were given. @throws GatewayError INVALID_CONFIGURATION for one that is unknown */
export function readFlags(args: string[]) {
  try {
    return parseArgs({
      args,
      options: FLAGS,
    }).values;
  } catch (cause) {
    throw invalid(flagFault(cause, Object.keys(FLAGS)), cause);
  }
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 65_535)) throw invalid(`The port must be a number from 0 to 65535, not ${text}`);
  return value;
}

/** Keys are never in the sentence: one of them is private. */
function jwk<Key>(
  name: string,
  form: string,
  schema: z.ZodType<Key>,
  text: string | undefined,
): Key {
  if (text === undefined || text === '') throw invalid(`${name} is required: ${form}`);
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw invalid(`${name} must be ${form}`);
  }
}

function isTrue(name: string, env: NodeJS.ProcessEnv): boolean {
  const text = env[name] || 'false';
  if (text !== 'true' && text !== 'false') throw invalid(`${name} must be true or false`);
  return text === 'true';
}

function logLevel(text: string): LogOptions['logLevel'] {
  const level = LOG_LEVELS.find((each) => each === text);
  if (level === undefined) throw invalid(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function listener(text: string): Listener | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalid('The gateway must be an http or https URL');
  }
  const usual = url.protocol === 'https:' ? HTTPS_PORT : HTTP_PORT;
  return { host: url.hostname, port: url.port === '' ? usual : Number(url.port) };
}

function tlsFiles(env: NodeJS.ProcessEnv): TlsFiles | undefined {
  const cert = file('RELAY_TLS_CERT', env);
  const key = file('RELAY_TLS_KEY', env);
  const clientCa = file('RELAY_TLS_CLIENT_CA', env);
  if (cert !== undefined && key !== undefined) return { cert, key, clientCa };
  if (cert === undefined && key === undefined && clientCa === undefined) return undefined;
  throw invalid('RELAY_TLS_CERT and RELAY_TLS_KEY are needed together');
}

function file(name: string, env: NodeJS.ProcessEnv): Buffer | undefined {
  const path = env[name];
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw invalid(`${name}: the file ${path} cannot be read`, cause);
  }
}

function invalid(message: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_CONFIGURATION', message, { cause });
}
