/** What of this machine is the gateway's own, on a self-hosted edge. Contract §5, "Addresses". */
import * as z from 'zod';
import { GatewayError } from '../../../proto/errors.ts';
import type { PublicContext } from '../../context.ts';

/** Ports as they are in URLs, and addresses of this machine's network interfaces. */
export interface OwnAddresses {
  readonly ports: readonly string[];
  readonly addresses: readonly string[];
}

const OwnReply = z.object({ ports: z.array(z.int()), addresses: z.array(z.string()) });

/** Milliseconds between two looks whether they are known. */
const LOOK_MS = 50;

type OwnBindings = Pick<PublicContext, 'env' | 'settings'>;

/** By the binding that told them; they do not change while a runtime lives. */
const known = new WeakMap<Fetcher, OwnAddresses>();

/**
 * Those that the settings name, and those that were known only when everything listened.
 * @throws GatewayError SERVICE_UNAVAILABLE while they are not known
 */
export async function ownOf({ env, settings }: OwnBindings): Promise<OwnAddresses> {
  const { OWN } = env;
  if (OWN === undefined) return { ports: settings.OWN_PORTS, addresses: [] };
  const before = known.get(OWN);
  if (before !== undefined) return before;
  const reply = await OWN.fetch('http://own/own.json');
  if (!reply.ok) {
    await reply.body?.cancel();
    throw new GatewayError('SERVICE_UNAVAILABLE', 'The gateway is not ready', { retryAfter: 1 });
  }
  const { ports, addresses } = OwnReply.parse(await reply.json());
  const own = { ports: [...settings.OWN_PORTS, ...ports.map(String)], addresses };
  known.set(OWN, own);
  return own;
}

/**
 * Waits until the gateway takes requests. Before that no backend on this machine is reached: work
 * that an alarm starts, and no request, would fail for good.
 */
export async function whenReady(bound: OwnBindings): Promise<void> {
  for (;;) {
    const isReady = await ownOf(bound).then(
      () => true,
      (thrown: unknown) => {
        if (thrown instanceof GatewayError && thrown.code === 'SERVICE_UNAVAILABLE') return false;
        throw thrown;
      },
    );
    if (isReady) return;
    await scheduler.wait(LOOK_MS);
  }
}
