/** An endpoint's server, by what its configuration names: one server, a cluster, or sentinels. */
import type { ConnectionEnvelope } from '../../../proto/driver.ts';
import type { Host } from '../driver.ts';
import { Cluster } from './cluster.ts';
import { connect } from './connection.ts';
import type { RedisServer } from './link.ts';
import { Node } from './node.ts';
import { SentinelServer } from './sentinel.ts';
import { type Settings, settingsOf } from './settings.ts';

/**
 * Readies a line to a server; connections are made when first needed.
 * @param protocol instead of the configuration's
 * @throws GatewayError INVALID_CONFIGURATION
 */
export async function openServer(
  envelope: ConnectionEnvelope,
  host: Host,
  protocol?: Settings['protocol'],
): Promise<RedisServer> {
  const configured = settingsOf(envelope.connection);
  const settings = { ...configured, protocol: protocol ?? configured.protocol };
  if (settings.topology === 'cluster') return new Cluster(settings, host);
  if (settings.topology === 'sentinel') return new SentinelServer(settings, host);
  return singleServer(settings, host);
}

function singleServer(settings: Settings, host: Host): RedisServer {
  const [address] = settings.addresses;
  if (!address) throw new Error('settings without an address');
  const node = new Node(host, (signal) => connect(host, address, settings, signal));
  return {
    send: (commands, sending) => node.send(commands, sending),
    borrow: (_keys, signal) => node.borrow(signal),
    close: () => node.close(),
  };
}
