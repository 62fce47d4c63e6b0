/** What every backend driver offers, at the edge or in the relay: a client, and the bounds of a call. */
import type { Changes } from './changes.ts';
import type { Json } from './json.ts';
import type { KeepsOnce } from './once.ts';
import type { Joins, Prepares } from './prepares.ts';
import type { Pieces } from './work/pieces.ts';

/** Whether a call may change the backend. */
export type Mode = 'read' | 'write';

/** The endpoint's backend profile in force. Spec: "Endpoint", backend profile rule. */
export type Profile = 'production' | 'development';

/** What a connection is used for: `all` where `write_conn` reads, too, since there is no `read_conn`. */
export const CONNECTION_USES = ['all', 'reads', 'writes', 'development'] as const;
export type ConnectionUse = (typeof CONNECTION_USES)[number];

/** What travels sealed to a relay: how to reach one backend. Holds credentials: never log it. */
export interface ConnectionEnvelope {
  /** `write_conn`, `read_conn` or `development_conn` of the endpoint's configuration. */
  readonly connection: Json;
  /** Left out by tests of drivers: `all`. */
  readonly use?: ConnectionUse | undefined;
  /** The other members of `config` that drivers look at, such as `allow_functions` or `db_name`. */
  readonly settings: { readonly [member: string]: Json };
}

/** Connections of one endpoint on one node; 0 stands for the node's default. */
export interface Caps {
  readonly total: number;
  readonly production: number;
  readonly development: number;
}

/** How to reach one backend. */
export interface Target {
  readonly envelope: ConnectionEnvelope;
  /** Names the pool; changes whenever the endpoint's configuration changes. */
  readonly poolKey: string;
  readonly mode: Mode;
}

/**
 * How Redis's replies are written for a client that decodes them itself, each as `{"result": …}` or
 * `{"error": …}`: in JSON with text (`json`) or with every string but OK in base64 (`base64`); or as
 * RESP2 without either (`resp2`). Source: upstash.com/docs/redis/features/restapi.
 */
export const REPLY_FORMS = ['json', 'base64', 'resp2'] as const;
export type ReplyForm = (typeof REPLY_FORMS)[number];

/**
 * How rows are written as they arrive: each as a line of JSON (`lines`), the same after a line that
 * tells the columns (`told-lines`), or as CSV.
 */
export const ROW_FORMS = ['lines', 'told-lines', 'csv'] as const;
export type RowForm = (typeof ROW_FORMS)[number];

/**
 * Who calls, for the backend: settings of its session for one call, and the role that it runs as.
 * keys-and-doors.md §3.
 */
export interface SessionSettings {
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** Left out, the credential's own. */
  readonly role?: string;
  /** Whether the caller's own statements may set, too: an Admin's. */
  readonly maySet: boolean;
}

/** Bounds of one call; the driver stops work when `signal` aborts. */
export interface Call {
  readonly mode: Mode;
  /** Aborts when the client goes away or the deadline passes; its reason is then a `GatewayError` TIMED_OUT. */
  readonly signal: AbortSignal;
  /** Largest result in bytes. */
  readonly resultMaxBytes: number;
  /** Every 64-bit column as a string, whatever its value. */
  readonly numbersAsStrings: boolean;
  /** Extended JSON in its canonical form, where results are Extended JSON. */
  readonly canonical?: boolean;
  /** Redis's replies as they came, in that form; decoded by the command when left out. */
  readonly replyForm?: ReplyForm | undefined;
  /** Headers that put what the backend does into the caller's trace, where there is one. W3C Trace Context. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** Of a stream: its first line is `{"columns": [{"name", "type"}, …]}`; false when left out. */
  readonly tellsColumns?: boolean;
  /** What is set ahead of each statement; undefined where the endpoint's configuration asks for none. */
  readonly session?: SessionSettings | undefined;
  /** Does what a large request makes long in pieces, by turns with others; undefined where the request is small. */
  readonly inPieces: (<Result>(pieces: Pieces<Result>) => Promise<Result>) | undefined;
  /** The same for what results make long, however small the request is; undefined where nobody else needs the thread. */
  readonly inTurn?: (<Result>(pieces: Pieces<Result>) => Promise<Result>) | undefined;
  /** Tells that the driver refers to nothing of a request any more but the bytes that it sends, so that the next may be read. */
  readonly letGo?: (() => void) | undefined;
}

/** A result as JSON text in UTF-8: it is not parsed between driver and client. */
export type ResultBytes = Uint8Array;

/**
 * One backend and the connections to it, safe for concurrent calls. What not every driver can do
 * is in `Abilities`.
 *
 * Members are declared as methods, not properties, so that `BackendClient<RedisRequest>` is
 * assignable to `BackendClient`: the registry holds kinds with unlike requests, and each kind's
 * own schema has parsed the request before it gets here.
 */
export interface BackendClient<Request = unknown> {
  /** @throws GatewayError REQUEST_FAILED, CONSTRAINT_VIOLATED, CONNECTION_FAILED, OUTCOME_UNKNOWN, RESULT_TOO_LARGE, TIMED_OUT */
  run(request: Request, call: Call): Promise<ResultBytes>;
  /** One round trip. Answers its milliseconds, without the time to connect. */
  ping(call: Call): Promise<number>;
  /** Frees sockets. Calls in flight end first. */
  close(): Promise<void>;
}

/** Streams rows. */
export interface Streams<Request = unknown> {
  /** Whether its rows have columns that a stream can tell first. */
  readonly hasColumns: boolean;
  /** Lines of NDJSON as they arrive; the first piece, which has no rows, follows the backend's acceptance. */
  stream(request: Request, call: Call): AsyncIterable<Uint8Array>;
}

/** Runs several requests as one transaction. */
export interface Transacts<Request = unknown> {
  /** All or nothing; the result is a JSON array with one entry per request. */
  transact(requests: readonly Request[], call: Call): Promise<ResultBytes>;
}

/** Lends connections to callers. */
export interface Leases<Request = unknown> {
  /** A connection that one caller holds. */
  lease(call: Call): Promise<Lease<Request>>;
}

/** Sends events. */
export interface Watches<Request = unknown> {
  /**
   * Events as they happen, until the caller leaves. The first event has no data and follows the
   * backend's acceptance.
   * @param resumeAfter an event's id, to go on after it
   */
  watch(request: Request, call: Call, resumeAfter: string | undefined): AsyncIterable<WatchEvent>;
}

/** Describes tables. */
export interface Inspects {
  /** Tables with their columns, keys and indexes, ordered by namespace and name. */
  inspect(page: InspectPage, call: Call): Promise<InspectedTables>;
}

/** Checks the credential. */
export interface Warns {
  /** What the operator should know of the backend and the credential. */
  warnings(call: Call): Promise<readonly Warning[]>;
}

/** What not every driver can do, by the method that does it; a driver declares the interface. */
export interface Abilities<Request = unknown> {
  readonly stream: Streams<Request>;
  readonly transact: Transacts<Request>;
  readonly lease: Leases<Request>;
  readonly watch: Watches<Request>;
  readonly inspect: Inspects;
  readonly warnings: Warns;
  readonly changes: Changes;
  readonly join: Joins<Request>;
  readonly prepare: Prepares<Request>;
  readonly once: KeepsOnce<Request>;
}

/** Whether a driver can do something; what it cannot do answers NOT_SUPPORTED. */
export function can<Ability extends keyof Abilities, Request>(
  client: BackendClient<Request>,
  ability: Ability,
): client is BackendClient<Request> & Abilities<Request>[Ability] {
  return ability in client;
}

/** Codes of warnings. keys-and-doors.md §5. */
export const WARNING_CODES = [
  'CREDENTIAL_SUPERUSER',
  'CREDENTIAL_OWNER',
  'CREDENTIAL_BYPASSES_RLS',
  'POOLER_TRANSACTION_MODE',
  'PREPARED_TRANSACTIONS_OLD',
  'SESSION_ROLE_REFUSED',
] as const;

/** Something about a backend that works, and should be otherwise. */
export interface Warning {
  readonly code: (typeof WARNING_CODES)[number];
  /** With what would mend it; never with a credential. */
  readonly message: string;
}

/** One backend connection that one caller holds for a while. Calls on it run one after another. */
export interface Lease<Request = unknown> {
  run(request: Request, call: Call): Promise<ResultBytes>;
  /** Undoes what is not committed and frees the connection. */
  close(): Promise<void>;
}

/** One thing that a backend told. */
export interface WatchEvent {
  /** Where to resume, for backends that can. */
  readonly id?: string;
  /** JSON text in UTF-8 without line breaks; empty in the first, and where only the place to resume from moves on. */
  readonly data: ResultBytes;
}

/** Which tables to describe. */
export interface InspectPage {
  /** The namespace and name of the last table of the page before; left out, the first page. */
  readonly after?: readonly [namespace: string, name: string];
  /** Most tables of an answer. */
  readonly limit: number;
}

/** A page of what a backend holds. */
export interface InspectedTables {
  readonly tables: readonly InspectedTable[];
  /** Whether there are tables after the last of these. */
  readonly more: boolean;
}

/** A table, view or collection. Contract §13, `GET /endpoints/{e}/schema`. */
export interface InspectedTable {
  /** The schema, database or keyspace it is in. */
  readonly namespace: string;
  readonly name: string;
  /** In the backend's own words, in lower case: `table`, `view`, `collection`, `materialized view`. */
  readonly type: string;
  /** In their order; empty where the backend keeps no schema. */
  readonly columns: readonly {
    readonly name: string;
    /** As results name it. */
    readonly type: string;
    readonly nullable: boolean;
  }[];
  /** Names of columns, in the key's order; empty without one. */
  readonly primary_key: readonly string[];
  readonly indexes: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly unique: boolean;
  }[];
}

/** Metadata of a relay's failure: microseconds since the backend was asked, where it was. */
export const BACKEND_US = 'Backend-Us';
