/** The driver's modules below its client, as far as they are used here. */
declare module 'cassandra-driver/lib/connection.js' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  /** What a connection is made with. */
  export interface ConnectionOptions {
    readonly socketOptions: {
      readonly coalescingThreshold: number;
      readonly connectTimeout: number;
      readonly readTimeout: number;
    };
    readonly protocolOptions: { readonly noCompact: boolean };
    readonly pooling: { readonly heartBeatInterval: number };
    readonly metrics: { onConnectionError(error: unknown): void; onAuthenticationError(): void };
    readonly authProvider: object | undefined;
    readonly applicationName: string;
    logEmitter(...said: unknown[]): void;
  }

  /** A frame that is being read. */
  export interface FrameInfo {
    readonly header: { readonly bodyLength: number };
    readonly meta: { readonly columns: readonly unknown[]; readonly pageState?: Buffer };
    readonly flagsInfo: object | undefined;
  }

  /** Reads frames into results. */
  export interface Parser {
    push(item: object): boolean;
    handleFrameBuffers(frame: FrameInfo, item: { header: { bodyLength: number } }): boolean;
    parseRows(frame: FrameInfo, reader: { readonly offset: number; readonly buf: Buffer }): void;
  }

  /** One connection of the driver's: frames, streams and the way in. */
  export class Connection extends EventEmitter {
    constructor(endpoint: string, protocolVersion: number, options: ConnectionOptions);
    protected netClient: Socket;
    protected parser: Parser;
    protected encoder: { encode(value: unknown): unknown };
    protected bindSocketListeners(): void;
    protected startup(callback: (error?: Error) => void): void;
    open(callback: (error?: Error) => void): void;
    close(callback?: () => void): void;
    sendStream(
      request: object,
      options: null,
      callback: (error: Error | null, response?: unknown) => void,
    ): object;
  }

  const internals: typeof Connection;
  // biome-ignore lint/style/noDefaultExport: The driver's module is that class, which a module here takes as its default.
  export default internals;
}

declare module 'cassandra-driver/lib/execution-options.js' {
  export class ExecutionOptions {}
}

declare module 'cassandra-driver/lib/requests.js' {
  import type { ExecutionOptions } from 'cassandra-driver/lib/execution-options.js';

  export class ExecuteRequest {
    constructor(
      query: string,
      id: Buffer,
      params: readonly (Buffer | null | object)[],
      options: ExecutionOptions,
      meta: { readonly columns: readonly unknown[] },
    );
    consistency: number;
  }
  export class QueryRequest {
    constructor(query: string, params: null, options: null);
  }
  export class PrepareRequest {
    constructor(query: string, keyspace: undefined);
  }
  export class BatchRequest {
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
