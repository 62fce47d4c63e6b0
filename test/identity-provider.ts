/** A real identity provider on loopback, whose keys tests rotate. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

const SECRET = 'a secret between the client and its provider';

/** A client that gets tokens for itself, and the claims that they carry. */
interface Client {
  readonly id: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A running provider. */
export interface IdentityProvider {
  readonly issuer: string;
  /** How many times its keys were asked for. */
  keyFetches(): number;
  /** A token of a client for a resource. Spec: RFC 6749 §4.4, RFC 8707, RFC 9068. */
  token(client: string, resource: string): Promise<string>;
  /** Signs with a key that it did not have before, and publishes no other. */
  rotate(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a provider that signs with ES256. */
export async function startIdentityProvider(clients: readonly Client[]): Promise<IdentityProvider> {
  let handle: ReturnType<Provider['callback']> | undefined;
  let fetches = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/jwks') fetches += 1;
    void handle?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a path.
  const issuer = `http://127.0.0.1:${port}`;
  const rotate = async () => {
    handle = new Provider(issuer, await configurationOf(clients)).callback();
  };
  await rotate();
  return {
    issuer,
    keyFetches: () => fetches,
    rotate,
    async token(client, resource) {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: {
          Authorization: `Basic ${btoa(`${client}:${encodeURIComponent(SECRET)}`)}`,
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'deploy' }),
      });
      const body = (await response.json()) as { access_token?: string }; // RFC 6749 §5.1.
      if (body.access_token === undefined) throw new Error(`No token: ${JSON.stringify(body)}`);
      return body.access_token;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function configurationOf(clients: readonly Client[]) {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const claims = new Map(clients.map((each) => [each.id, each.claims]));
  return {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'ES256' }] },
    clients: clients.map(({ id }) => ({
      client_id: id,
      client_secret: SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: 'ES256',
    })),
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx: unknown, resource: string) => ({
          scope: 'deploy',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    extraTokenClaims: (_ctx: unknown, { clientId }: { readonly clientId: string }) =>
      claims.get(clientId),
  };
}
