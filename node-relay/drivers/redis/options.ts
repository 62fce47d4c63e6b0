/** Options of a redis connection URL: those that usual clients take and that mean something here. */
import { invalid, type OptionReader } from '../../../kinds/connection-options.ts';

/** What options come to. */
export interface Options {
  readonly cluster?: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: boolean;
  readonly trust?: 'any' | 'chain' | 'host';
  readonly database?: number;
  readonly protocol?: 2 | 3;
  readonly clientName?: string;
  readonly connectTimeoutMs?: number;
  readonly fromReplicas?: boolean;
  readonly master?: string;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const TIMEOUT_MAX_MS = 10_000;

/**
 * By name. Sources: the URLs of redis-py, go-redis, ioredis and Lettuce. Options that name files
 * (`ssl_ca_certs`, `ssl_certfile`, `ssl_keyfile`), pools and times of commands are not among these:
 * those are the gateway's own.
 */
export const READERS: { readonly [option: string]: OptionReader<Options> } = {
  cluster: flag('cluster'),
  username: (username) => ({ username }),
  password: (password) => ({ password }),
  tls: flag('tls'),
  ssl: flag('tls'),
  ssl_cert_reqs: (value) => trusted(value === 'none', value === 'required', 'ssl_cert_reqs'),
  ssl_check_hostname: (value) => (truth(value, 'ssl_check_hostname') ? {} : { trust: 'chain' }),
  skip_verify: (value) => (truth(value, 'skip_verify') ? { trust: 'any' } : {}),
  verifyPeer: verifyPeer,
  db: database,
  database,
  protocol: (value) => {
    if (value !== '2' && value !== '3') throw invalid('Option protocol is 2 or 3');
    return { protocol: value === '2' ? 2 : 3 };
  },
  client_name: clientName,
  clientName,
  connectionName: clientName,
  connect_timeout: (value, name) => timeout(value, 1_000, name),
  socket_connect_timeout: (value, name) => timeout(value, 1_000, name),
  connectTimeout: (value, name) => timeout(value, 1, name),
  dial_timeout: duration,
  read_from_replicas: flag('fromReplicas'),
  service_name: (master) => ({ master }),
  master_name: (master) => ({ master }),
  sentinelMasterId: (master) => ({ master }),
  sentinel_username: (sentinelUsername) => ({ sentinelUsername }),
  sentinelUsername: (sentinelUsername) => ({ sentinelUsername }),
  sentinel_password: (sentinelPassword) => ({ sentinelPassword }),
  sentinelPassword: (sentinelPassword) => ({ sentinelPassword }),
};

function flag(member: 'cluster' | 'tls' | 'fromReplicas'): OptionReader<Options> {
  return (value, name) => ({ [member]: truth(value, name) });
}

function truth(value: string, name: string): boolean {
  if (/^(?:true|1|yes)$/i.test(value)) return true;
  if (/^(?:false|0|no)$/i.test(value)) return false;
  throw invalid(`Option ${name} is true or false`);
}

function trusted(none: boolean, required: boolean, name: string): Options {
  if (none) return { trust: 'any' };
  if (required) return {};
  throw invalid(`Option ${name} is none or required`);
}

function verifyPeer(value: string): Options {
  const trust = { NONE: 'any', FALSE: 'any', CA: 'chain', FULL: 'host', TRUE: 'host' } as const;
  const wanted = value.toUpperCase();
  if (!Object.hasOwn(trust, wanted)) throw invalid('Option verifyPeer is NONE, CA or FULL');
  // Just checked.
  return { trust: trust[wanted as keyof typeof trust] };
}

function database(value: string): Options {
  if (!/^\d{1,9}$/.test(value)) throw invalid('A database of Redis is a number');
  return { database: Number(value) };
}

function clientName(value: string): Options {
  if (!/^[!-~]{0,255}$/.test(value)) {
    throw invalid('A client name is of visible ASCII characters without blanks');
  }
  return { clientName: value };
}

function timeout(value: string, unitMs: number, name: string): Options {
  if (!/^\d{1,6}(?:\.\d{1,3})?$/.test(value)) throw invalid(`Option ${name} is a number`);
  return bounded(Number(value) * unitMs);
}

/** As Go writes them: `500ms`, `5s`, `1m`. */
function duration(value: string): Options {
  const found = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(value);
  if (!found) throw invalid('Option dial_timeout is a duration such as 5s');
  const unitMs = { ms: 1, s: 1_000, m: 60_000 }[found[2] ?? 's'] ?? 1_000;
  return bounded(Number(found[1]) * unitMs);
}

/** 0 is the default with usual clients. */
function bounded(wantedMs: number): Options {
  return wantedMs < 1 ? {} : { connectTimeoutMs: Math.min(wantedMs, TIMEOUT_MAX_MS) };
}
