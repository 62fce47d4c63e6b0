/** Which shares of transactions this process works on: what looks for lock waits asks the server who they are. */
import type { Connection } from './connection.ts';

/** Shares of this process that may be open, by their names: of all pools, as two may lead to one server. */
const working = new Map<string, Connection>();

/** Notes that a connection works on a share, until it is reset or lost. */
export function worksOn(connection: Connection, name: string): void {
  connection.share = name;
  working.set(name, connection);
}

/** Names of such shares that begin so. */
export function workedOn(prefix: string): string[] {
  return [...working].flatMap(([name, { share, wire }]) => {
    if (share !== name || wire.lost) working.delete(name);
    else if (name.startsWith(prefix)) return [name];
    return [];
  });
}
