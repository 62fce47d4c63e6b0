/** The relay's only way to the network: resolve once, check, connect to just that address. Contract §5: "Addresses". */
import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  canonicalHost,
  isLoopback,
  isNeverReached,
  isPublic,
  meantBy,
} from '../proto/addresses.ts';
import { GatewayError } from '../proto/errors.ts';
import { type Address, parseAddress } from '../proto/networks.ts';
import { type AllowList, isAllowed } from './allow-list.ts';
import { orAbort } from './drivers/deadline.ts';
import { byTurns } from './drivers/socket-turns.ts';

/** Longest time until one address accepts, in milliseconds. Spec silent. */
const CONNECT_MAX_MS = 10_000;

/** Where something listens. */
export interface Listener {
  readonly host: string;
  readonly port: number;
}

/** What decides about an address. */
export interface DialPolicy {
  readonly allow: AllowList;
  /** Names `allow` in a refusal. */
  readonly setting: 'RELAY_ALLOW' | 'HTTP_ALLOW_PRIVATE';
  /** Port of the relay itself; refused on every address of this machine. */
  readonly ownPort: () => number | undefined;
  /** Further ports of the gateway on this machine; undefined while they are not known, when none of it is reached. */
  readonly gatewayPorts?: () => readonly number[] | undefined;
  /** The gateway's own address; refused there, and its port on every address of this machine. */
  readonly gateway: Listener | undefined;
  /** Addresses of a name, in the order to try. Default: the system's resolver. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** What their operators can do. */
const HOW_TO_OPEN: Readonly<Record<DialPolicy['setting'], string>> = {
  RELAY_ALLOW: 'the operator of the relay can name it there',
  HTTP_ALLOW_PRIVATE: 'the operator of the gateway can set HTTP_ALLOW_PRIVATE=true',
};

/** Connects under a policy. */
export class Dialer {
  readonly #policy: DialPolicy;
  readonly #resolve: (name: string) => Promise<readonly string[]>;

  constructor(policy: DialPolicy) {
    this.#policy = policy;
    this.#resolve = policy.resolve ?? systemResolver;
  }

  /**
   * A connected socket. Of a name with several addresses, those that are allowed are tried in turn.
   * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, the signal's reason
   */
  async dial(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    // The system's resolver cannot be told to stop.
    const addresses = await orAbort(this.addresses(host, port), signal);
    let failure: unknown;
    for (const address of addresses) {
      signal.throwIfAborted();
      try {
        return await connectTo(address, port, signal);
      } catch (reason) {
        failure = reason;
      }
    }
    throw failure;
  }

  /**
   * The address that `dial` would try first.
   * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED, the signal's reason
   */
  async vet(host: string, port: number, signal: AbortSignal): Promise<string> {
    const [first] = await orAbort(this.addresses(host, port), signal);
    if (first === undefined) throw refused(NO_ADDRESS);
    return first.address;
  }

  /**
   * The addresses that may be connected to, in order; at least one.
   * @throws GatewayError ADDRESS_REFUSED, CONNECTION_FAILED when the name does not resolve
   */
  async addresses(host: string, port: number): Promise<Address[]> {
    const name = canonicalHost(host);
    if (name === undefined || !Number.isInteger(port) || port < 1 || port > 65_535) {
      throw refused(NO_ADDRESS);
    }
    const literal = parseAddress(name);
    const found =
      literal === undefined ? await this.#lookUp(name, () => unreachable('ENOTFOUND')) : [literal];
    const gateway = await this.#gatewayAddresses(port);
    const { allow, setting } = this.#policy;
    const reachable = found.filter(
      (address) => !isNeverReached(address) && !this.#isOwn(address, port, gateway),
    );
    if (reachable.length === 0) throw refused(NEVER);
    const allowed = reachable.filter(
      (address) => isPublic(address) || isAllowed(allow, { host: name, address, port }),
    );
    if (allowed.length === 0) {
      const how = HOW_TO_OPEN[setting];
      throw refused(
        `The address is not public, and the setting ${setting} does not open it: ${how}`,
      );
    }
    return allowed;
  }

  async #lookUp(name: string, failed: () => GatewayError): Promise<Address[]> {
    const found = await this.#resolve(name).catch(() => []);
    const addresses = found.map(parseAddress).filter((address) => address !== undefined);
    if (addresses.length === 0) throw failed();
    return addresses;
  }

  /** Where the gateway is reached, looked up only for its own port. */
  async #gatewayAddresses(port: number): Promise<ReadonlySet<string>> {
    const { gateway } = this.#policy;
    if (gateway?.port !== port) return new Set();
    const name = canonicalHost(gateway.host) ?? gateway.host;
    const literal = parseAddress(name);
    if (literal !== undefined) return new Set([literal.address]);
    const found = await this.#lookUp(name, () => refused(NEVER));
    return new Set(found.map(({ address }) => address));
  }

  #isOwn(address: Address, port: number, gateway: ReadonlySet<string>): boolean {
    if (gateway.has(address.address)) return true;
    if (!isThisMachine(address)) return false;
    const { ownPort, gateway: listener, gatewayPorts } = this.#policy;
    if (port === ownPort() || port === listener?.port) return true;
    if (gatewayPorts === undefined) return false;
    return gatewayPorts()?.includes(port) ?? true;
  }
}

async function systemResolver(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function isThisMachine(address: Address): boolean {
  if (isLoopback(address)) return true;
  const meant = meantBy(address).map((each) => each.address);
  return Object.values(networkInterfaces()).some((each) =>
    each?.some((own) => meant.includes(parseAddress(own.address)?.address ?? '')),
  );
}

function connectTo({ address }: Address, port: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host: address, port, noDelay: true, keepAlive: true });
  const settle = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    socket.off('error', onError);
    socket.off('connect', onConnect);
  };
  const fail = (reason: unknown): void => {
    settle();
    // The failure that ends it has no other listener.
    socket.on('error', () => {});
    socket.destroy();
    reject(reason);
  };
  const onConnect = (): void => {
    settle();
    resolve(byTurns(socket));
  };
  const onAbort = (): void => fail(signal.reason);
  const onError = (cause: NodeJS.ErrnoException): void => fail(unreachable(cause.code, cause));
  const timer = setTimeout(() => fail(unreachable('ETIMEDOUT')), CONNECT_MAX_MS);
  signal.addEventListener('abort', onAbort);
  socket.once('connect', onConnect);
  socket.once('error', onError);
  return promise;
}

/** Causes in words; the system's own text holds the address. */
const CAUSES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not resolve',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route',
  ENETUNREACH: 'no route',
  EADDRNOTAVAIL: 'no route',
  ETIMEDOUT: 'timed out',
};

function unreachable(code = '', cause?: unknown): GatewayError {
  const words = CAUSES[code] ?? 'the connection could not be made';
  return new GatewayError('CONNECTION_FAILED', words, { cause });
}

const NO_ADDRESS = 'The host or the port of the connection is none';
/** Says nothing about which it is: a name may resolve to what its owner does not know. */
const NEVER =
  "The address is one that no setting opens: link-local, a metadata service, no destination, or the gateway's own";

function refused(message: string): GatewayError {
  return new GatewayError('ADDRESS_REFUSED', message, { details: [{ rule: 'address' }] });
}
