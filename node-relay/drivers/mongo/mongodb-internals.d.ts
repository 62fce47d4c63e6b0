/** The driver's module that opens its sockets, as far as it is used here. */
declare module 'mongodb/lib/cmap/connect.js' {
  import type { Socket } from 'node:net';
  import type { Connection } from 'mongodb/lib/cmap/connection.js';

  /** What a connection is opened with: the client's options and those of the pool or monitor. */
  export interface ConnectOptions {
    readonly hostAddress?: { readonly host?: string; readonly port?: number };
    readonly lookup?: unknown;
    readonly tls?: boolean;
    readonly connectTimeoutMS?: number;
    readonly existingSocket?: Socket;
    readonly id?: number | string;
    /** The class of the connection, where it is not the driver's. */
    readonly connectionType?: typeof Connection;
  }

  const internals: {
    /** Opens a pool's connections, and those that measure round trips. */
    connect(options: ConnectOptions): Promise<Connection>;
    /** Opens a monitor's sockets. */
    makeSocket(options: ConnectOptions): Promise<Socket>;
    /** Makes a monitor's connections. */
    makeConnection(options: ConnectOptions, socket: Socket): Connection;
  };
  // biome-ignore lint/style/noDefaultExport: all that a CommonJS module exports is its default here.
  export default internals;
}

/** The driver's connections, as far as they are used here. */
declare module 'mongodb/lib/cmap/connection.js' {
  import type { Socket } from 'node:net';
  import type { Transform } from 'node:stream';
  import type { ConnectOptions } from 'mongodb/lib/cmap/connect.js';

  /** What a command is sent with. */
  export interface CommandOptions {
    readonly session?: object;
    readonly raw?: boolean;
    /** Where documents are, in a reply that has them. */
    readonly documentsReturnedIn?: string;
  }

  /** One connection of a pool, or of a monitor. */
  export class Connection {
    constructor(stream: Socket, options: ConnectOptions);
    readonly closed: boolean;
    readonly id: number | string;
    /** Its login has ended. */
    readonly established: boolean;
    protected readonly messageStream: Transform;
    protected delayedTimeoutId: NodeJS.Timeout | null;
    protected cleanup(error: Error): void;
    command(
      namespace: unknown,
      command: Record<string, unknown>,
      options?: CommandOptions,
      responseType?: unknown,
    ): Promise<unknown>;
    protected writeCommand(
      command: { readonly requestId: number; readonly moreToCome?: boolean },
      options: object,
    ): Promise<void>;
    destroy(): void;
  }

  const internals: { readonly Connection: typeof Connection };
  // biome-ignore lint/style/noDefaultExport: all that a CommonJS module exports is its default here.
  export default internals;
}

/** Operations of the driver's, which say on which member they ran, as far as they are used here. */
declare module 'mongodb/lib/operations/execute_operation.js' {
  import type { MongoClient } from 'mongodb';

  const internals: { executeOperation(client: MongoClient, operation: object): Promise<unknown> };
  // biome-ignore lint/style/noDefaultExport: all that a CommonJS module exports is its default here.
  export default internals;
}

declare module 'mongodb/lib/operations/run_command.js' {
  const internals: {
    readonly RunCommandOperation: new (
      namespace: unknown,
      command: Record<string, unknown>,
      options: object,
    ) => { readonly server: unknown };
  };
  // biome-ignore lint/style/noDefaultExport: all that a CommonJS module exports is its default here.
  export default internals;
}

declare module 'mongodb/lib/operations/get_more.js' {
  import type { Long } from 'mongodb';

  /** What it answers. */
  export interface Batch {
    readonly id: Long;
    shift(options: { readonly raw: true }): Uint8Array | null;
  }

  const internals: {
    readonly GetMoreOperation: new (
      namespace: unknown,
      id: Long,
      server: unknown,
      options: object,
    ) => object;
  };
  // biome-ignore lint/style/noDefaultExport: all that a CommonJS module exports is its default here.
  export default internals;
}

declare module 'mongodb/lib/operations/kill_cursors.js' {
  import type { Long } from 'mongodb';

  const internals: {
    readonly KillCursorsOperation: new (
      id: Long,
      namespace: unknown,
      server: unknown,
      options: object,
    ) => object;
  };
  // biome-ignore lint/style/noDefaultExport: all that a CommonJS module exports is its default here.
  export default internals;
}

declare module 'mongodb/lib/utils.js' {
  const internals: {
    /** The namespace that a text names. */
    ns(text: string): unknown;
  };
  // biome-ignore lint/style/noDefaultExport: all that a CommonJS module exports is its default here.
  export default internals;
}
