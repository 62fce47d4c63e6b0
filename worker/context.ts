/** What a call is given: everything it may reach, nothing global. */
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { Ticket } from '../proto/work/ticket.ts';
import type { KeyIdentity } from './access/api-keys/identity.ts';
import type { DoorName } from './access/door/name.ts';
import type { ExternalIdentity } from './access/external/identity.ts';
import type { AuditChainObject } from './audit/object.ts';
import type { TransactionLogObject } from './calls/transactions/object.ts';
import type { DataChangesObject } from './data-changes/object.ts';
import { loggedFault } from './db/fault.ts';
import type { WebhookDeliveriesObject } from './deliveries/object.ts';
import type { OrganizationEventsObject } from './events/object.ts';
import type { IdempotencyKeysObject } from './idempotency/object.ts';
import { log } from './log.ts';
import type { RelayNodeObject } from './nodes/object.ts';
import type { TemplateRunObject } from './runs/object.ts';
import type { WorkflowSchedulesObject } from './schedules/object.ts';
import { type Settings, settingsOf } from './settings.ts';
import type { Trace } from './tracing.ts';
import type { WorkflowRunsObject } from './workflows/runs/object.ts';

/** What wrangler.toml binds, beside the settings of worker/settings.ts. */
export interface Bindings {
  readonly DB: D1Database;
  /**
   * The default relay, when a private network reaches it; else `RELAY_URL` does. Its parts are
   * `RELAY_PART_0`, `RELAY_PART_1`, …, where each can be reached by itself: worker/drivers/relay-routes.ts.
   */
  readonly RELAY?: Fetcher;
  /**
   * On a self-hosted edge the network of backends that the edge reaches by itself: it refuses at
   * connect what may not be reached. The platform's own network has nothing private to reach.
   */
  readonly NETWORK?: Fetcher;
  /** On a self-hosted edge the network of nodes that organizations registered: as `NETWORK`, except for private addresses of a gateway bound to loopback. */
  readonly NODE_NETWORK?: Fetcher;
  /** On a self-hosted edge, a folder whose file tells what is our own: worker/drivers/edge/own-addresses.ts. */
  readonly OWN?: Fetcher;
  /** The folder of the program that draws /docs, on this machine; else that is a module of the worker. */
  readonly RENDERER?: Fetcher;
  /** On a self-hosted edge the process that hashes passwords: worker/auth/hasher.ts. */
  readonly PASSWORD_HASHER?: Fetcher;
  /** On a self-hosted edge the process that works on large JSON bodies: worker/limits/json-worker.ts. */
  readonly JSON_WORKER?: Fetcher;
  /** Where several runtimes share a port, the metrics of all of them: worker/runtimes/. */
  readonly METRICS?: () => Promise<string>;
  /** Four objects that hash passwords where there is no such process. */
  readonly PASSWORD_HASHERS: DurableObjectNamespace;
  /** One object per organization, by the name of its UUID. */
  readonly AUDIT_CHAIN: DurableObjectNamespace<AuditChainObject>;
  /** Sixteen objects per organization: worker/idempotency/location.ts names them. */
  readonly IDEMPOTENCY_KEYS: DurableObjectNamespace<IdempotencyKeysObject>;
  /** One object per asynchronous run, by the names that worker/runs/start.ts gives. */
  readonly TEMPLATE_RUNS: DurableObjectNamespace<TemplateRunObject>;
  /** Four objects per organization: worker/workflows/runs/names.ts names them. */
  readonly WORKFLOW_RUNS: DurableObjectNamespace<WorkflowRunsObject>;
  /** One object per organization, by the name of its UUID. */
  readonly ORGANIZATION_EVENTS: DurableObjectNamespace<OrganizationEventsObject>;
  /** One object per organization, by the name of its UUID. */
  readonly WEBHOOK_DELIVERIES: DurableObjectNamespace<WebhookDeliveriesObject>;
  /** One object per organization, by the name of its UUID. */
  readonly WORKFLOW_SCHEDULES: DurableObjectNamespace<WorkflowSchedulesObject>;
  /** One object per endpoint that is watched: worker/data-changes/object.ts names them. */
  readonly DATA_CHANGES: DurableObjectNamespace<DataChangesObject>;
  /** One object per organization, by the name of its UUID. */
  readonly TRANSACTION_LOGS: DurableObjectNamespace<TransactionLogObject>;
  /** One object per registered node: worker/nodes/object.ts names them. */
  readonly RELAY_NODES: DurableObjectNamespace<RelayNodeObject>;
  readonly LIMIT_PASSWORD_BY_ACCOUNT: RateLimit;
  readonly LIMIT_PASSWORD_BY_ADDRESS: RateLimit;
  readonly LIMIT_NEW_BY_ADDRESS: RateLimit;
  readonly LIMIT_NODES_BY_ADDRESS: RateLimit;
  readonly LIMIT_UNSIGNED_BY_ADDRESS: RateLimit;
  readonly LIMIT_STARTS_BY_ADDRESS: RateLimit;
  /** Counts steps of deliveries: worker/limits/hooks.ts. */
  readonly LIMIT_DELIVERIES: RateLimit;
  /** Counts steps of requests: worker/limits/caller.ts. */
  readonly LIMIT_BY_USER: RateLimit;
  readonly LIMIT_BY_ORGANIZATION: RateLimit;
}

export type Database = DrizzleD1Database;

/** What the world outside is made of; tests pass their own. */
export interface Outside {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Every request that leaves the worker, but those through a binding. */
  fetch(request: Request): Promise<Response>;
}

/** What a call may use before its caller is known. */
export interface PublicContext {
  readonly requestId: string;
  readonly env: Bindings;
  readonly settings: Settings;
  readonly db: Database;
  readonly outside: Outside;
  /** The caller's address, or `local`. Never what a client merely claims. */
  readonly address: string;
  /** Milliseconds since the Unix epoch; tests hold it still. */
  now(): number;
  /** Aborts when the reply is no longer waited for: the client has gone, or the time is up. */
  readonly signal: AbortSignal;
  /** The trace that the call belongs to; undefined where traces are off. */
  readonly trace?: Trace | undefined;
  /** Lets work go on after the reply; a failure in it is logged. */
  afterReply(work: Promise<unknown>): void;
}

/** The authenticated user or key, and the organization that the token was issued for. */
export interface Caller {
  /** Of the account; with an external token the same as `userId`, of an API key `key:<uuid>`: neither is a UUID. */
  readonly userUuid: string;
  /** As the token names the caller. */
  readonly userId: string;
  readonly orgUuid: string;
  readonly orgId: string;
  /** When the token was issued and when its login was, in milliseconds since the Unix epoch. */
  readonly issuedAt: number;
  readonly loginAt: number;
  /** Unix epoch milliseconds. */
  readonly expiresAt: number;
  /** Of a caller with an identity provider's token, who has no account. */
  readonly external?: ExternalIdentity;
  /** Of an API key, also of a personal one. */
  readonly key?: KeyIdentity;
}

/** Whether the caller is an account: neither a key, also of a user, nor known by an external token alone. */
export function hasAccount({ external, key }: Caller): boolean {
  return external === undefined && key === undefined;
}

/** A door that somebody has opened: the context's caller is its author. */
export interface Door extends DoorName {
  /** Who called, whatever doors lie between; of a run that nobody called, its author. */
  readonly calledBy: Caller;
}

/** What a call of a known caller may reach. */
export interface Context extends PublicContext {
  /** Whose rights it has. */
  readonly caller: Caller;
  /** Where these are not of who called, but of the author of a template or workflow. */
  readonly door?: Door | undefined;
  /** Runs that led to the call, of a call that a run makes: worker/calls/chain.ts. */
  readonly chain?: number | undefined;
  /** What it is asked by its query string, where it only reads: a cursor is of that, too (worker/shapes/cursor.ts). */
  readonly query?: object | undefined;
  /** In the line of heavy work, of a request with a large body. */
  readonly place?: Ticket | undefined;
}

const databases = new WeakMap<D1Database, Database>();

/** The Drizzle face of a D1 binding; made once. */
export function databaseOf(env: Bindings): Database {
  const known = databases.get(env.DB);
  if (known) return known;
  const made = drizzle(env.DB);
  databases.set(env.DB, made);
  return made;
}

/** What a call has beside its bindings, whether a request made it or not. */
interface Origin {
  readonly signal: AbortSignal;
  readonly env: Bindings;
  readonly outside: Outside;
  readonly requestId: string;
  readonly address: string;
  readonly trace?: Trace | undefined;
  waitUntil(work: Promise<unknown>): void;
}

/** Opens the context of one call. */
export function openContext(origin: Origin): PublicContext {
  const { signal, env, outside, requestId, address, trace } = origin;
  return {
    requestId,
    env,
    settings: settingsOf(env),
    db: databaseOf(env),
    outside,
    address,
    now: outside.now,
    signal,
    trace,
    afterReply(work) {
      origin.waitUntil(
        work.catch((thrown: unknown) => {
          log('error', 'work after the reply failed', {
            request_id: requestId,
            ...loggedFault(thrown),
          });
        }),
      );
    },
  };
}
