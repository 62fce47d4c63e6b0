/** What a share comes to whose one message, with all that begins and prepares it, is lost on its way. Spec: transactions.md §3. */
import { expect, test } from 'vitest';
import type { BackendClient } from '../../proto/driver.ts';
import type { Prepares } from '../../proto/prepares.ts';
import { failureOf } from './contract.ts';
import { beginning, share, shareName } from './contract-shares.ts';
import type { CuttingProxy } from './test/cutting-proxy.ts';
import { callOf } from './test/host.ts';

/** One kind's words for it. */
interface LostCase<Request> {
  /** What prepares, in the kind's own words. */
  readonly prepares: string;
  proxy(): CuttingProxy;
  /** A client by the proxy, on whose only connection a share has ended. */
  warmClient(): Promise<BackendClient<Request> & Prepares<Request>>;
  /** Adds an entry of that name. */
  add(name: string): Request;
  /** How many shares of that name are prepared, and how many entries there are. */
  left(name: string): Promise<readonly [prepared: number, entries: number]>;
}

/** Runs the promises. */
export function describeLost<Request>(lost: LostCase<Request>): void {
  test.each([
    ['before', 'unknown'],
    ['after', 'rolled_back'],
  ] as const)('lost %s it reached the server, a rollback by name ends it', async (when, status) => {
    const client = await lost.warmClient();
    const name = shareName();
    lost.proxy().cutAt(lost.prepares, when);
    const prepared = client.prepare(beginning(name), share([lost.add(name)]), callOf('write'));
    expect(await failureOf(prepared)).toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(await client.rollback(name, '', callOf('write'))).toMatchObject({ status });
    expect(await lost.left(name)).toEqual([0, 0]);
  });
}
