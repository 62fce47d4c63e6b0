/** The driver's modules below its client, as far as they are used here. */
declare module 'cassandra-driver/lib/execution-options.js' {
  export class ExecutionOptions {}
}

declare module 'cassandra-driver/lib/requests.js' {
  import type { ExecutionOptions } from 'cassandra-driver/lib/execution-options.js';

  /** What writes values. */
  export interface Encoder {
    readonly protocolVersion: number;
    encode(value: unknown): unknown;
  }
  /** A message to the server. */
  export interface Request {
    write(encoder: Encoder, streamId: number): Buffer;
  }
  export class StartupRequest implements Request {
    constructor(options: { readonly noCompact: boolean; readonly applicationName: string });
    write(encoder: Encoder, streamId: number): Buffer;
  }
  export class AuthResponseRequest implements Request {
    constructor(token: Buffer);
    write(encoder: Encoder, streamId: number): Buffer;
  }
  export class ExecuteRequest implements Request {
    write(encoder: Encoder, streamId: number): Buffer;
    constructor(
      query: string,
      id: Buffer,
      params: readonly (Buffer | null | object)[],
      options: ExecutionOptions,
      meta: { readonly columns: readonly unknown[] },
    );
    consistency: number;
  }
  export class QueryRequest implements Request {
    write(encoder: Encoder, streamId: number): Buffer;
    constructor(query: string, params: null, options: null);
  }
  export class PrepareRequest implements Request {
    write(encoder: Encoder, streamId: number): Buffer;
    constructor(query: string, keyspace: undefined);
  }
  export class BatchRequest implements Request {
    write(encoder: Encoder, streamId: number): Buffer;
    constructor(
      queries: readonly {
        readonly queryId: Buffer;
        readonly params: readonly (Buffer | null | object)[];
        readonly meta: { readonly columns: readonly unknown[] };
      }[],
      options: ExecutionOptions,
    );
  }
}
