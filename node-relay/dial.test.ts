/** Where the relay may connect to. Contract §5: "Addresses". */
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatewayError } from '../proto/errors.ts';
import { parseAllowList } from './allow-list.ts';
import { Dialer, type DialPolicy } from './dial.ts';

const REFUSED = {
  code: 'ADDRESS_REFUSED',
  message: expect.stringMatching(/^The (?:address|host or the port) /),
  details: [{ rule: 'address' }],
};

function dialer(allow = '', policy: Partial<DialPolicy> = {}): Dialer {
  return new Dialer({
    allow: parseAllowList(allow),
    setting: 'RELAY_ALLOW',
    ownPort: () => 8788,
    gateway: undefined,
    ...policy,
  });
}

/** Resolves names from a table; a list of answers is given one after the other. */
function names(table: Record<string, readonly (readonly string[])[]>) {
  const asked: Record<string, number> = {};
  return vi.fn(async (name: string) => {
    const answers = table[name];
    const turn = asked[name] ?? 0;
    asked[name] = turn + 1;
    const answer = answers?.[Math.min(turn, answers.length - 1)];
    if (answer === undefined) throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    return answer;
  });
}

describe('an address', () => {
  test.each([
    ['8.8.8.8', '8.8.8.8'],
    ['134744072', '8.8.8.8'],
    ['2606:4700:4700::1111', '2606:4700:4700::1111'],
    ['2606:4700:4700:0:0::1111', '2606:4700:4700::1111'],
    ['[2606:4700:4700::1111]', '2606:4700:4700::1111'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['64:ff9b::8.8.8.8', '64:ff9b::808:808'],
    ['192.0.1.1', '192.0.1.1'],
    ['172.15.255.255', '172.15.255.255'],
    ['172.32.0.0', '172.32.0.0'],
  ])('that is public is dialled: %s', async (host, address) => {
    expect(await dialer().addresses(host, 5432)).toMatchObject([{ address }]);
  });

  test.each([
    // Private and special, which RELAY_ALLOW may open.
    ...['127.0.0.1', '127.1', '0x7f.1', '0x7f000001', '2130706433', '017700000001', '0177.0.0.1'],
    ...['127.0.0.1.', '127。0。0。1', '１２７.0.0.1', '::1', '[::1]', '0:0:0:0:0:0:0:1'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001', '::127.0.0.1'],
    ...['::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::127.0.0.1'],
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1'],
    ...['192.0.2.1', '203.0.113.5', 'fc00::1', 'fd12::1', 'fec0::1', '2001:db8::1', '2001::1'],
    ...['2002:7f00:1::', '2002:c0a8:101::1', '3fff::1', '100::1', '4000::1', '192.88.99.1'],
  ])('that is not public is refused unless it is allowed: %s', async (host) => {
    await expect(dialer().addresses(host, 5432)).rejects.toMatchObject(REFUSED);
    expect(await dialer('*').addresses(host, 5432)).toHaveLength(1);
  });

  test.each([
    ...['169.254.169.254', '0xa9fea9fe', '2852039166', '169.254.1', '0251.0376.0251.0376'],
    ...['::ffff:169.254.169.254', '::169.254.169.254', '::ffff:0:169.254.169.254'],
    ...['64:ff9b::169.254.169.254', '64:ff9b:1::169.254.169.254', '64:ff9b:1:a9fe:a9:fe00::'],
    ...['2002:a9fe:a9fe::1', '2001:470::5efe:169.254.169.254', '2001:470::200:5efe:a9fe:a9fe'],
    ...['fe80::1', 'fe80::1%eth0', 'febf::1', '[fe80::1]', 'fd00:ec2::254', 'fd00:ec2:0:0::253'],
    ...['fd20:ce::254', 'fd00:42::42', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
    ...['0.0.0.0', '0', '0.1.2.3', '::', '::0.0.0.0', '224.0.0.1', '255.255.255.255', 'ff02::1'],
  ])('that is link-local, for metadata or no destination is refused always: %s', async (host) => {
    const allow = `*,0.0.0.0/0,::/0,${host.includes('%') ? 'fe80::1' : '169.254.169.254'}`;
    await expect(dialer(allow).addresses(host, 80)).rejects.toMatchObject(REFUSED);
  });

  test.each([
    ...['', ' ', '/var/run/postgresql', '/tmp/.s.PGSQL.5432', '@abstract', '\\\\.\\pipe\\x'],
    ...['a b', 'a@b', 'host:5432', 'host/path', 'host?x', 'host#x', '%2ftmp', '1.2.3.4.5', '[::1'],
    ...['0x100000000', '256.1.1.1', '::g', 'fe80::1::2', 'a\nb', 'a\0b'],
  ])('that is none is refused: %j', async (host) => {
    await expect(dialer('*').addresses(host, 5432)).rejects.toMatchObject(REFUSED);
  });

  test.each([0, -1, 65_536, 1.5, Number.NaN])('with the port %d is refused', async (port) => {
    await expect(dialer('*').addresses('8.8.8.8', port)).rejects.toMatchObject(REFUSED);
  });

  test('is judged alike in every spelling', async () => {
    const verdict = (host: string) =>
      dialer()
        .addresses(host, 5432)
        .then(
          ([found]) => found?.address,
          (reason: GatewayError) => reason.code,
        );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }), async (octets) => {
        const [a = 0, b = 0, c = 0, d = 0] = octets;
        const number = a * 2 ** 24 + b * 2 ** 16 + c * 256 + d;
        const high = (a * 256 + b).toString(16);
        const low = (c * 256 + d).toString(16);
        const expected = await verdict(octets.join('.'));
        const spellings = [
          String(number),
          `0x${number.toString(16)}`,
          `0${number.toString(8)}`,
          octets.map((octet) => `0x${octet.toString(16)}`).join('.'),
          octets.map((octet) => `0${octet.toString(8)}`).join('.'),
          `${a}.${b}.${c * 256 + d}`,
          `${a}.${b * 2 ** 16 + c * 256 + d}`,
          `::ffff:${octets.join('.')}`,
          `::ffff:${high}:${low}`,
          `0:0:0:0:0:FFFF:${high}:${low}`,
          `[::ffff:${high}:${low}]`,
        ];
        expect(await Promise.all(spellings.map(verdict))).toEqual(spellings.map(() => expected));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a name', () => {
  test('is looked up once, and what was checked is what is dialled', async () => {
    const resolve = names({ 'db.example': [['8.8.8.8'], ['127.0.0.1']] });
    expect(await dialer('', { resolve }).addresses('DB.example.', 5432)).toEqual([
      { address: '8.8.8.8', family: 'ipv4' },
    ]);
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(resolve).toHaveBeenCalledWith('db.example');
  });

  test.each([
    { answers: ['127.0.0.1'], allowed: [] },
    { answers: ['::ffff:169.254.169.254'], allowed: [] },
    { answers: ['10.0.0.1', '8.8.4.4', '8.8.8.8'], allowed: ['8.8.4.4', '8.8.8.8'] },
  ])('that resolves to $answers may reach $allowed', async ({ answers, allowed }) => {
    const resolve = names({ 'db.example': [answers] });
    const found = dialer('', { resolve }).addresses('db.example', 5432);
    if (allowed.length === 0) await expect(found).rejects.toMatchObject(REFUSED);
    else expect((await found).map(({ address }) => address)).toEqual(allowed);
  });

  test('that does not resolve says so, without the name', async () => {
    const failed = dialer('', { resolve: names({}) }).addresses('db.example', 5432);
    await expect(failed).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      message: 'Unable to connect to database: the host name does not resolve',
    });
  });
});

describe('RELAY_ALLOW', () => {
  const resolve = names({ 'db.internal': [['10.0.0.7']], 'meta.internal': [['169.254.169.254']] });

  test.each([
    { allow: '10.0.0.0/8', host: '10.0.0.7', opens: true },
    { allow: '10.0.0.0/8', host: '11.0.0.7', port: 1, opens: true },
    { allow: '10.0.0.0/8', host: '192.168.0.1', opens: false },
    { allow: '10.0.0.0/8', host: 'db.internal', opens: true },
    { allow: '::ffff:10.0.0.0/8', host: '10.0.0.7', opens: true },
    { allow: 'fd12::/16', host: 'fd12::9', opens: true },
    { allow: 'DB.internal.', host: 'db.internal', opens: true },
    { allow: 'other.internal', host: 'db.internal', opens: false },
    { allow: 'db.internal:5432', host: 'db.internal', opens: true },
    { allow: 'db.internal:5433', host: 'db.internal', opens: false },
    { allow: '127.0.0.1:5432', host: '0x7f.1', opens: true },
    { allow: '127.0.0.1:5433', host: '127.0.0.1', opens: false },
    { allow: '[::1]:5432', host: '::1', opens: true },
    { allow: '10.0.0.7', host: 'db.internal', opens: true },
    { allow: ' 10.0.0.1 , db.internal ', host: 'db.internal', opens: true },
    { allow: 'meta.internal,*', host: 'meta.internal', opens: false },
  ])('$allow opens $host: $opens', async ({ allow, host, opens }) => {
    const found = dialer(allow, { resolve }).addresses(host, 5432);
    if (opens) expect(await found).toHaveLength(1);
    else await expect(found).rejects.toMatchObject(REFUSED);
  });

  test.each(['10.0.0.0/33', '10.0.0.0/', 'x/8', 'a b', 'db:0', 'db:70000', '::1/129', '-/-'])(
    'refuses the entry %j',
    (entry) => {
      expect(() => parseAllowList(`8.8.8.8,${entry}`)).toThrow(
        new GatewayError(
          'INVALID_CONFIGURATION',
          `RELAY_ALLOW: ${entry} is no network, host, host:port or *`,
        ),
      );
    },
  );
});

describe("the relay's and the gateway's own ports", () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = ['127.0.0.1', '127.0.0.9', '::1', ...own.map(({ address }) => address)];
  const gateway = { host: 'gateway.example', port: 8787 };
  const resolve = names({ 'gateway.example': [['8.8.8.8']] });

  test.each(addresses.filter((address) => !address.startsWith('fe80')))(
    'are refused on %s, whatever is allowed',
    async (address) => {
      const dial = dialer('*', { gateway, resolve });
      await expect(dial.addresses(address, 8788)).rejects.toMatchObject(REFUSED);
      await expect(dial.addresses(address, 8787)).rejects.toMatchObject(REFUSED);
      expect(await dial.addresses(address, 8789)).toHaveLength(1);
    },
  );

  test("are refused at the gateway's own address, by name and by number", async () => {
    const dial = dialer('*', { gateway, resolve });
    await expect(dial.addresses('gateway.example', 8787)).rejects.toMatchObject(REFUSED);
    await expect(dial.addresses('8.8.8.8', 8787)).rejects.toMatchObject(REFUSED);
    expect(await dial.addresses('8.8.8.8', 8788)).toHaveLength(1);
    expect(await dial.addresses('8.8.4.4', 8787)).toHaveLength(1);
  });
});

describe('dial', () => {
  let server: Server;
  let port: number;
  let silent: number;
  beforeAll(async () => {
    server = createServer((socket) => socket.on('error', () => {}).end('hello'));
    server.listen(0, '127.0.0.1');
    const closed = createServer().listen(0, '127.0.0.1');
    await vi.waitUntil(() => server.listening && closed.listening, { timeout: 30_000 });
    port = portOf(server);
    silent = portOf(closed);
    closed.close();
  });
  afterAll(() => void server.close());
  const signal = AbortSignal.timeout(10_000);

  test('connects, and leaves the socket alone afterwards', async () => {
    const client = new AbortController();
    const socket = await dialer('*').dial('127.0.0.1', port, client.signal);
    client.abort();
    expect(socket.destroyed).toBe(false);
    const [hello] = await socket.take(1).toArray();
    expect(String(hello)).toBe('hello');
    socket.destroy();
  });

  test('tries the next allowed address when one refuses', async () => {
    const resolve = names({ 'db.example': [['127.0.0.2', '127.0.0.1']] });
    const socket = await dialer('*', { resolve }).dial('db.example', port, signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  test('names the cause in words, without the address', async () => {
    await expect(dialer('*').dial('127.0.0.1', silent, signal)).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      message: 'Unable to connect to database: connection refused',
      details: [],
    });
  });

  test('does not wait for a resolver that does not answer', async () => {
    const reason = new GatewayError('TIMED_OUT', 'late');
    const client = new AbortController();
    const { promise: never } = Promise.withResolvers<readonly string[]>();
    const dialled = dialer('*', { resolve: () => never }).dial('a.example', 1, client.signal);
    client.abort(reason);
    await expect(dialled).rejects.toBe(reason);
  });

  test('ends when its signal aborts', async () => {
    const reason = new GatewayError('TIMED_OUT', 'late');
    const client = new AbortController();
    // TEST-NET-1 answers nobody, where it is routed at all.
    const dialled = dialer('*').dial('192.0.2.1', 5432, client.signal);
    client.abort(reason);
    await expect(dialled).rejects.toBe(reason);
  });
});

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('does not listen');
  return address.port;
}
