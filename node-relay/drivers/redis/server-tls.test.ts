/** Servers that speak TLS: whose certificates are trusted, and what is said of the others. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownRedis, type RedisServer as Program } from '../../../test/servers/redis-server.ts';
import { selfSigned } from '../test/certificate.ts';
import { open, say, words } from './test/server.ts';

describe('a server with TLS', () => {
  const certificate = selfSigned({ dnsName: 'localhost', years: 5 });
  const defaults = getCACertificates('default');
  let program: Program;
  beforeAll(async () => {
    program = await ownRedis({
      product: 'redis-7',
      modules: false,
      tls: { certificate: certificate.certificate, key: certificate.key },
    });
  });
  afterAll(async () => {
    setDefaultCACertificates(defaults);
    await program?.stop();
  });

  async function outcome(url: string): Promise<unknown> {
    const server = await open(url);
    try {
      return (await say(server, [words('ping')]))[0];
    } catch (error) {
      return (error as Error).message; // Every failure is one.
    } finally {
      await server.close();
    }
  }

  test('is trusted only with a certificate that is trusted and names the host', async () => {
    const [local, other] = [`localhost:${program.port}`, `127.0.0.1:${program.port}`];
    expect(await outcome(`rediss://${local}`)).toBe(
      "Unable to connect to database: the server's certificate is not trusted",
    );
    setDefaultCACertificates([...defaults, certificate.certificate]);
    expect(await outcome(`rediss://${local}`)).toBe('PONG');
    expect(await outcome(`redis://${local}?tls=true`)).toBe('PONG');
    expect(await outcome(`rediss://${other}`)).toBe(
      "Unable to connect to database: the server's certificate names another host",
    );
    expect(await outcome(`rediss://${other}?ssl_check_hostname=false`)).toBe('PONG');
    expect(await outcome(`rediss://${other}?ssl_cert_reqs=none`)).toBe('PONG');
    expect(await outcome(`redis://${local}`)).toMatch(/closed the connection|does not speak/);
  });
});
