/** A line to one database of a vendor of SQL, its failures told as callers hear them. */
import type {
  Call,
  InspectedTables,
  InspectPage,
  Mode,
  ResultBytes,
} from '../../../../proto/driver.ts';
import type { SqlClient } from './late-client.ts';

/** What a page of tables may come to as it arrives, in bytes. */
export const PAGE_MAX_BYTES = 10 * 1024 * 1024;

/** How one vendor's database is asked; whatever fails there is thrown as it is. */
interface Asks<Request> {
  isRead(request: Request, mode: Mode): boolean;
  run(request: Request, call: Call): Promise<ResultBytes>;
  transact(requests: readonly Request[], call: Call): Promise<ResultBytes>;
  inspect(page: InspectPage, call: Call): Promise<InspectedTables>;
  /** One trip that does nothing. */
  reach(call: Call): Promise<unknown>;
  /** The error that a caller gets for a failure. Contract §2. */
  told(error: unknown, mode: Mode): unknown;
}

/** Safe for concurrent calls where `asks` is. */
export function clientOf<Request>(asks: Asks<Request>): SqlClient<Request> {
  const telling = async <Value>(mode: Mode, work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (error) {
      throw asks.told(error, mode);
    }
  };
  return {
    run(request, call) {
      const mode = asks.isRead(request, call.mode) ? 'read' : 'write';
      return telling(mode, () => asks.run(request, call));
    },
    transact: (requests, call) => telling('write', () => asks.transact(requests, call)),
    inspect: (page, call) => telling('read', () => asks.inspect(page, call)),
    ping: (call) =>
      telling('read', async () => {
        const start = performance.now();
        await asks.reach(call);
        return performance.now() - start;
      }),
  };
}
