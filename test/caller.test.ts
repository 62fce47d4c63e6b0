/** Who is calling: no header that a client sends changes a limit or gets into the log. */
import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { type OwnGateway, startGateway } from './gateway.ts';
import { asResponse, checkedReply } from './openapi/checked-fetch.ts';

/** Contract §11: `POST /new` by address and minute. */
const QUOTA = 60;

let gateway: OwnGateway;
afterEach(() => gateway.stop());

interface From {
  readonly headers?: Readonly<Record<string, string>>;
  /** Address of loopback that the connection comes from. */
  readonly peer?: string;
}

/** Status of a `POST /new` that only counts against the limit: its body is refused. */
function knock({ headers = {}, peer = '127.0.0.1' }: From): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${gateway.url}/api/v1/new`,
      {
        method: 'POST',
        localAddress: peer,
        agent: false,
        headers: { 'Content-Type': 'application/json', ...headers },
      },
      (answer) => {
        const reply = checkedReply(`${gateway.url}/api/v1/new`, 'POST', asResponse(answer));
        reply.then((checked) => checked.text().then(() => resolve(checked.status))).catch(reject);
      },
    );
    sent.on('error', reject).end('{}');
  });
}

/**
 * Knocks until it is refused for knocking too often; answers whether it ever was. Twice the
 * quota: a minute may end on the way.
 */
async function refusedInTheEnd(from: (attempt: number) => From): Promise<boolean> {
  for (let attempt = 0; attempt <= 2 * QUOTA; attempt += 1) {
    const status = await knock(from(attempt));
    if (status === 429) return true;
    expect(status).toBe(400);
  }
  return false;
}

/** A client that claims to be somebody else each time, in every way there is. */
function forged(attempt: number): Record<string, string> {
  const address = `6.6.${attempt}.6`;
  return {
    'CF-Connecting-IP': address,
    'MF-CF-Blob': JSON.stringify({ clientIp: address }),
    'True-Client-IP': address,
    'X-Forwarded-For': address,
    'X-Real-IP': address,
    Forwarded: `for=${address}`,
    'X-Causeway-Peer': `guess ${address}`,
  };
}

const LIMITED = { RATE_LIMITS: 'on' };

describe('bound to loopback', () => {
  test('forged addresses share one limit, and none is in the log', async () => {
    gateway = await startGateway({ env: LIMITED });
    expect(await refusedInTheEnd((attempt) => ({ headers: forged(attempt) }))).toBe(true);
    expect(gateway.output.stderr()).not.toContain('6.6.');
  });

  test('behind a proxy on this machine, each address that it appends has its own limit', async () => {
    gateway = await startGateway({ env: { ...LIMITED, TRUSTED_PROXY: '127.0.0.1' } });
    const appended = (attempt: number) => ({
      headers: { ...forged(attempt), 'X-Forwarded-For': `6.6.${attempt}.6, 203.0.113.1` },
    });
    expect(await refusedInTheEnd(appended)).toBe(true);
    expect(await knock({ headers: { 'X-Forwarded-For': '203.0.113.2' } })).toBe(400);
  });

  test('behind a proxy elsewhere, only that proxy is believed', async () => {
    gateway = await startGateway({ env: { ...LIMITED, TRUSTED_PROXY: '192.0.2.1' } });
    expect(await refusedInTheEnd((attempt) => ({ headers: forged(attempt) }))).toBe(true);
  });
});

// The whole of 127.0.0.0/8 is loopback on Linux: two peers on one machine.
describe.runIf(process.platform === 'linux')('bound to every address', () => {
  test('each peer has its own limit, whatever it claims', async () => {
    gateway = await startGateway({ args: ['--host=0.0.0.0'], env: LIMITED });
    expect(await refusedInTheEnd((attempt) => ({ headers: forged(attempt) }))).toBe(true);
    expect(await knock({ peer: '127.0.0.2', headers: forged(0) })).toBe(400);
    expect(gateway.output.stderr()).not.toContain('6.6.');
  });

  test('behind a proxy, only that peer is believed', async () => {
    const env = { ...LIMITED, TRUSTED_PROXY: '127.0.0.2' };
    gateway = await startGateway({ args: ['--host=0.0.0.0'], env });
    const viaProxy = (attempt: number) => ({
      peer: '127.0.0.2',
      headers: { 'X-Forwarded-For': `6.6.${attempt}.6, 203.0.113.1` },
    });
    expect(await refusedInTheEnd(viaProxy)).toBe(true);
    // Not the proxy, and so not 203.0.113.1, whose limit is used up.
    expect(await knock({ headers: { 'X-Forwarded-For': '203.0.113.1' } })).toBe(400);
  });
});
