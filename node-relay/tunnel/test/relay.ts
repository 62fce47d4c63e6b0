/** A relay that listens nowhere, and a stock client that calls it through its tunnels and the edge runtime. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver } from '../../drivers/driver.ts';
import { closeServer, serverFor } from '../../listen.ts';
import { createLog } from '../../log.ts';
import { makeRelay } from '../../server.ts';
import { callToken, clientOf, configOf, makeKeys, seal } from '../../test/relay.ts';
import { Tunnels } from '../tunnels.ts';
import { startTunnelEdge, type TunnelEdge } from './edge.ts';

/** Longer than any test takes. */
const TOKEN_S = 3_600;
const NODE = '00000000-0000-4000-8000-000000000000';

/** What such a relay is made of. */
interface TunnelledOptions {
  readonly drivers: Readonly<Record<string, Driver>>;
  /** Where the relay dials, when it is not the edge itself. */
  readonly gateway?: (edge: TunnelEdge) => string;
  readonly env?: Record<string, string>;
}

/** Starts the edge, a relay behind a tunnel, and a client. */
export async function startTunnelledRelay({ drivers, gateway, env = {} }: TunnelledOptions) {
  const [keys, edge, folder] = await Promise.all([
    makeKeys(),
    startTunnelEdge(),
    mkdtemp(join(tmpdir(), 'tunnelled-')),
  ]);
  const lines: string[] = [];
  const log = createLog(
    { logFormat: 'json', logLevel: 'info' },
    { write: (line) => lines.push(line) },
  );
  const config = configOf(keys, { RELAY_ALLOW: '*', HTTP_ALLOW_PRIVATE: 'true', ...env });
  const options = { drivers, log, version: '1.2.3', drainMaxMs: 2_000 };
  const relay = await makeRelay(config, options, () => undefined);
  const socket = join(folder, 'part.sock');
  const server = serverFor({ tls: undefined }, relay.handle);
  server.listen(socket);
  await once(server, 'listening');
  const places = { socket: socket as string | undefined };
  const tunnels = new Tunnels({
    log,
    credentials: {
      url: gateway?.(edge) ?? edge.url,
      signed: async () => ({ 'Causeway-Instance': 'one' }),
    },
    node: NODE,
    socketFor: () => places.socket,
    health: () => ({
      status: 200,
      headers: { 'causeway-instance': 'one' },
      body: Buffer.from('up'),
    }),
    refused() {},
  });
  await tunnels.start();
  const token = await callToken(keys, relay.nodeId, { lifeS: TOKEN_S });
  return {
    edge,
    relay,
    tunnels,
    lines,
    keys,
    token,
    places,
    server,
    client: clientOf(edge.url, token),
    /** Ends a call, named by its header `Test-Call`, as the gateway ends one whose client has left. */
    leave: (name: string) => fetch(`${edge.url}/leave/${name}`, { method: 'POST' }),
    sealFor: (envelope: Parameters<typeof seal>[1]) => seal(keys.nodePublic, envelope),
    async stop() {
      tunnels.leave();
      await tunnels.stop();
      await relay.drain();
      closeServer(server);
      await edge.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
export type TunnelledRelay = Awaited<ReturnType<typeof startTunnelledRelay>>;
