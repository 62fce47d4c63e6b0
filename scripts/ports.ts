/** Finds ports to listen on. */
import { createServer } from 'node:net';
import { Failure, systemCode } from './failure.ts';

/**
 * The port itself when it is free on that host, or any free one for 0.
 * @throws Failure naming `flag` when the port is taken or the host is not this machine's
 */
export async function freePort(host: string, port = 0, flag = '--port'): Promise<number> {
  const server = createServer();
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, () => {
        const address = server.address();
        if (address !== null && typeof address === 'object') resolve(address.port);
      });
    });
  } catch (thrown) {
    throw new Failure(refusal(systemCode(thrown), host, port, flag), { cause: thrown });
  } finally {
    server.close();
  }
}

function refusal(code: string | undefined, host: string, port: number, flag: string): string {
  if (code === 'EADDRINUSE') return `Port ${port} is taken; choose another with ${flag}.`;
  if (code === 'EACCES')
    return `Port ${port} needs rights that you do not have; choose another with ${flag}.`;
  return `${host} is not an address that this machine can listen on; choose another with --host.`;
}
