/** A real server of an SQL kind, whose place a hostile one takes in the same URL. */
import type { RealServer } from './kind.ts';

/** What a kind's tests make of their server. */
interface Database {
  readonly url: string;
  drop(): Promise<unknown>;
}

/** The database of a kind, as the proof needs it. @param parameters of the URL that switch TLS off */
export function realServer(
  database: Database,
  parameters: Readonly<Record<string, string>> = {},
): RealServer {
  const real = new URL(database.url);
  return {
    host: real.hostname,
    port: Number(real.port),
    connection(host, port) {
      const url = new URL(real);
      url.hostname = host;
      url.port = String(port);
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href };
    },
    async stop() {
      await database.drop();
    },
  };
}
