/** A gateway of your own with an endpoint on a server. */
import type { Shutdown } from '../../server/shutdown.ts';
import { logIn, must } from '../../tooling/fuzz/calls.ts';
import { startGateway } from '../gateway.ts';
import { ownRedis } from '../servers/redis-server.ts';

const LOGIN = { organization: 'suites', username: 'suites', password: 'a password of the suites' };
/** No token ends during a long run. */
const DAY = { JWT_LIFETIME_S: '86400' };

interface Opened {
  readonly gateway: string;
  readonly token: string;
}

async function open(kind: string, url: string, shutdown: Shutdown): Promise<Opened> {
  const gateway = await startGateway({ env: DAY });
  await shutdown.add(async () => void (await gateway.stop()));
  const { organization: id, username, password } = LOGIN;
  const body = { id, super_admins: [{ username, password }] };
  await must(gateway.url, 'POST', '/new', { body });
  const token = await logIn(gateway.url, LOGIN);
  const config = { write_conn: { url } };
  await must(gateway.url, 'POST', '/endpoints', { token, body: { endpoint: kind, kind, config } });
  return { gateway: gateway.url, token };
}

/** An endpoint of a kind; answers where it reads. */
export async function startEndpoint(
  kind: 'postgres' | 'mysql',
  server: string,
  shutdown: Shutdown,
): Promise<{ readonly url: string; readonly token: string }> {
  const { gateway, token } = await open(kind, server, shutdown);
  return { url: `${gateway}/api/v1/endpoints/${kind}/read`, token };
}

/** The Upstash facade in front of a Redis of your own; answers the variables that the vendor's clients read. */
export async function startFacade(shutdown: Shutdown): Promise<Readonly<Record<string, string>>> {
  const redis = await ownRedis();
  await shutdown.add(() => redis.stop());
  const { gateway, token } = await open('redis', redis.url, shutdown);
  return {
    UPSTASH_REDIS_REST_URL: `${gateway}/upstash/redis`,
    UPSTASH_REDIS_REST_TOKEN: token,
  };
}
