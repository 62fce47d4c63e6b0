/** The driver's module that opens its sockets, as far as it is used here. */
declare module 'mongodb/lib/cmap/connect.js' {
  import type { Socket } from 'node:net';

  /** What a connection is opened with: the client's options and those of the pool or monitor. */
  export interface ConnectOptions {
    readonly hostAddress?: { readonly host?: string; readonly port?: number };
    readonly lookup?: unknown;
    readonly connectTimeoutMS?: number;
    readonly existingSocket?: Socket;
    readonly id?: number | string;
  }

  /** One connection of a pool. */
  export interface Connection {
    readonly closed: boolean;
    command(
      namespace: unknown,
      command: Record<string, unknown>,
      options?: { readonly session?: object },
      responseType?: unknown,
    ): Promise<unknown>;
    destroy(): void;
  }

  const internals: {
    /** Opens a pool's connections, and those that measure round trips. */
    connect(options: ConnectOptions): Promise<Connection>;
    /** Opens a monitor's sockets. */
    makeSocket(options: ConnectOptions): Promise<Socket>;
  };
  // biome-ignore lint/style/noDefaultExport: all that a CommonJS module exports is its default here.
  export default internals;
}
