/** Who may read a relay's metrics: those who have its token; without one, this machine. Contract §11, METRICS_TOKEN. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList } from 'node:net';
import type { Config } from './config.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Answers those who may not. Spec silent: a relay that others reach has no open metrics. */
export function mayReadMetrics(
  { metricsToken, host }: Pick<Config, 'metricsToken' | 'host'>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (metricsToken === undefined) {
    const isOpen =
      host === 'localhost' || LOOPBACK.check(host, host.includes(':') ? 'ipv6' : 'ipv4');
    if (!isOpen) response.writeHead(404).end();
    return isOpen;
  }
  const { authorization = '' } = request.headers;
  const isGiven = timingSafeEqual(digestOf(authorization), digestOf(`Bearer ${metricsToken}`));
  if (!isGiven) response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
  return isGiven;
}

/** Digests are of one length, and tell nothing by the time that comparing them takes. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
